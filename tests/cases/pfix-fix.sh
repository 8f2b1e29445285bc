# SPDX-License-Identifier: Apache-2.0
# Five of the 23 programs, repaired from scratch; each patch applies, compiles without warnings, keeps
# the program's oracle in 100 schedules, and leaves nothing to repair. `make eval-pfix` does all.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
"$TOP/tests/pfix/eval" --runs 99 atmoerror checkfield store stringbuffer wrongLock >table ||
    { cat table; exit 1; }
tail -1 table
