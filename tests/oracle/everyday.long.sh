# SPDX-License-Identifier: Apache-2.0
# The same at length. What is counted is left out; what differs is printed, and the exit code says so.
"$BUILD/oracle/everyday" 60000 1000000 16 >log || { cat log; exit 1; }
"$BUILD/oracle/everyday" 6000 2000000 28 >>log || { cat log; exit 1; }
sed 's/.*, \([0-9]*\) not found/\1 not found/' log
