# SPDX-License-Identifier: Apache-2.0
# Patches as a careful person writes them: a lock for reading under which something is changed, a way out
# that keeps a lock, two locks at once, a thread that is created too early, sections by macros, and a flag
# that nobody waits for when it is made ready.
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
cp "$TOP"/tests/cases/repair/{routes.c,blocks.c,transfer.cpp,prices.cpp,timing.c,job.c} "$TOP"/tests/pfix/more/poller/*.* .
for name in routes blocks timing job; do
    show $name cc $name.c
done
show transfer c++ transfer.cpp
show prices c++ prices.cpp
show poller c++ main.cpp poller.cpp
