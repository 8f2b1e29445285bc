# SPDX-License-Identifier: Apache-2.0
# Patches of several moves, where one alone leaves another bug behind the same failure; and patches in the
# program's own words: functions that lock, unlock and wait. A signal that may wake the wrong thread wakes all,
# also in a header that two files read; what an atomic change returns is used.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
show() { # NAME FILE ...
    local name=$1
    shift
    "$HEDDLE" fix --in-place --runs 200 --explore 20 -- ./$name >said || echo "exit $?"
    sed -n '1s/, round.*//; 1,/^why/p' said | grep -v '^why'
    patch -s -p1 <$name.heddle/patches/failure.diff
    gcc -Wall -Wextra -Werror -pthread "$@" -lstdc++ -o plain
}
cp "$TOP"/tests/cases/repair/{meter,wrapped,exhausted}.c "$TOP/tests/pfix/families/slots/bug/slots.c" .
for name in meter wrapped exhausted slots; do
    "$HEDDLE" cc -g -pthread $name.c -o $name
    show $name $name.c
done
for family in blobref arena pipeline; do
    cp -r "$TOP/tests/pfix/families/$family/bug" in-$family
    cd in-$family
    case $family in pipeline) compile="c++ -std=c++17" ;; *) compile=cc ;; esac
    "$HEDDLE" $compile -g -pthread *.c* -o $family
    show $family *.c*
    cd ..
done
