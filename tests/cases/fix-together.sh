# SPDX-License-Identifier: Apache-2.0
# What is asked in one section and done in another belongs together: what a method reads is read in the
# caller's section; where the lock is out of reach, a gate goes around the calls in every place that ran, or
# around a walk through a list that calls back who takes the list's lock.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
show() {
    "$HEDDLE" fix --in-place --runs 200 --explore 20 -- ./$1 >said || echo "exit $?"
    sed -n '1s/, round.*//; 1,/^why/p' said | grep -v '^why'
    patch -s -p1 <$1.heddle/patches/failure.diff
}
cp "$TOP/tests/cases/repair/stock.cpp" .
"$HEDDLE" c++ -g -pthread stock.cpp -o stock
show stock
g++ -Wall -Wextra -Werror -pthread stock.cpp -o plain
cp "$TOP"/tests/pfix/more/seats/*.[ch] .
"$HEDDLE" cc -g -pthread main.c seats.c -o seats
show seats
gcc -Wall -Wextra -Werror -pthread main.c seats.c -o plain
rm -- *.[ch]
cp "$TOP"/tests/pfix/more/signals/*.[ch] .
"$HEDDLE" cc -g -pthread main.c signals.c -o signals
show signals
gcc -Wall -Wextra -Werror -pthread main.c signals.c -o plain
