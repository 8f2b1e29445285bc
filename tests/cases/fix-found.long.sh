# SPDX-License-Identifier: Apache-2.0
# The same for C++: a method that walks through a container without the object's lock, a flag that ends
# a wait (no run fails by chance: what check found is taken), a std::shared_ptr that two threads use,
# and two objects that call each other. 1,000 schedules each.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
for name in ledger closing current index; do
    cp "$TOP/tests/cases/repair/$name.cpp" .
    "$HEDDLE" c++ -g -pthread $name.cpp -o $name
    runs=400
    if test $name = closing; then
        "$HEDDLE" check -- ./$name >/dev/null || :
        runs=10
    fi
    "$HEDDLE" fix --runs $runs -- ./$name >said 2>/dev/null || echo "exit $?"
    sed -n '1s/, round.*//; 1,/^why/p' said | grep -v '^why'
    patch -s -p1 <$name.heddle/patches/*.diff
    g++ -Wall -Wextra -Werror -pthread $name.cpp -o plain
    "$HEDDLE" c++ -g -pthread $name.cpp -o $name
    "$HEDDLE" run --runs 1000 --policy pos -- ./$name | sed -n '2s/  *[0-9]*  heddle.*//p'
done
