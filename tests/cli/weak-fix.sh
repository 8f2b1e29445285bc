# SPDX-License-Identifier: Apache-2.0
# Peterson's lock with acquire and release: few of its runs fail, and a fence that forbids those forbids not all. What a
# remedy was seen to allow is forbidden by the next one.
"$HEDDLE" c++ -g -O1 "$TOP/tests/cases/weak/peterson-acquire.bug.cpp" -o peterson -pthread
"$HEDDLE" fix --weak -- ./peterson >said 2>&1 || echo "exit $?"
grep -E '^[-+] |runs (with|explored)' said
