# SPDX-License-Identifier: Apache-2.0
# limit: 21600
# All of the 23, 10,000 schedules each.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
"$TOP/tests/pfix/eval" --runs 10000 >table ||
    { cat table; exit 1; }
tail -1 table
