# SPDX-License-Identifier: Apache-2.0
# The same with the primitives that only our own traces have.
"$BUILD/oracle/oracle" 2500 1 10 1 2>/dev/null
"$BUILD/oracle/oracle" 150 1 20 1 2>/dev/null
"$BUILD/oracle/oracle" 1000 20886700 12 1 60 5 2>/dev/null
"$BUILD/oracle/oracle" 400 21654500 22 1 60 5 2>/dev/null
