# SPDX-License-Identifier: Apache-2.0
# What belongs together has one lock: the one that guards the rest of an object or all of its changes, that
# the object has, or a new one for all; a list is not walked through while others may free what is in it.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
show() { # NAME COMPILER FILE...
    name=$1 compiler=$2
    shift 2
    "$HEDDLE" $compiler -g -pthread "$@" -o $name
    "$HEDDLE" fix --in-place --runs 200 --explore 20 -- ./$name >said || echo "exit $?"
    sed -n '1s/, round.*//; 1,/^why/p' said | grep -v '^why'
    patch -s -p1 <$name.heddle/patches/failure.diff
    case $compiler in cc) set gcc "$@" ;; *) set g++ "$@" ;; esac
    "$@" -Wall -Wextra -Werror -pthread -o plain
}
cp "$TOP"/tests/cases/repair/{ticket.c,stack.c,registry.cpp} .
for name in channel hub counters; do
    mkdir $name
    cp "$TOP"/tests/pfix/more/$name/*.* $name
done
show ticket cc ticket.c
show stack cc stack.c
show registry c++ registry.cpp
(cd channel && show channel cc main.c channel.c)
(cd hub && show hub cc main.c hub.c)
(cd counters && show counters c++ main.cpp)
