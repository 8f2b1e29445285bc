# SPDX-License-Identifier: Apache-2.0
# The same at length. What is counted is left out.
"$BUILD/oracle/oracle" 12000 4000000 12 1 >first 2>/dev/null &
"$BUILD/oracle/oracle" 1500 6000000 22 1 >second 2>/dev/null
wait
sed 's/.*possible: //' first second
