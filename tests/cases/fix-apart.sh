# SPDX-License-Identifier: Apache-2.0
# A program with two bugs: the patch of one finding is for that one, whatever else fails, and both
# patches together leave nothing.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
cp "$TOP/tests/cases/repair/pool.c" .
"$HEDDLE" check pool.c >/dev/null || echo "exit $?"
for pattern in race deadlock; do
    "$HEDDLE" fix --runs 60 --explore 20 $pattern >said || echo "exit $?"
    sed -n '1s/, round.*//; 1,/^why/p' said | grep -v '^why'
    grep -c 'another failure that the program had' said || :
    cp pool.heddle/patches/$pattern-*.diff .
done
for diff in *.diff; do patch -s -p1 <$diff; done
gcc -Wall -Wextra -Werror -pthread pool.c -o plain
"$HEDDLE" check pool.c | head -n 1
