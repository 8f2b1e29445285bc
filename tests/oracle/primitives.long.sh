# SPDX-License-Identifier: Apache-2.0
# The same at length.
"$BUILD/oracle/oracle" 12000 4000000 12 1 >first 2>/dev/null &
"$BUILD/oracle/oracle" 1500 6000000 22 1 >second 2>/dev/null
wait
cat first second
