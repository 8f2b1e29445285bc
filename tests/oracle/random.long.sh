# SPDX-License-Identifier: Apache-2.0
# The same at length: more than a million queries, some with more events. What is counted is left out.
"$BUILD/oracle/oracle" 24000 1000000 12 >first 2>/dev/null &
"$BUILD/oracle/oracle" 3000 3000000 24 >second 2>/dev/null
wait
sed 's/.*possible: //' first second
