# SPDX-License-Identifier: Apache-2.0
# The same five, 10,000 schedules each.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
"$TOP/tests/pfix/eval" --runs 10000 atmoerror checkfield store stringbuffer wrongLock >table ||
    { cat table; exit 1; }
tail -1 table
