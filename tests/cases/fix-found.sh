# SPDX-License-Identifier: Apache-2.0
# Patches as a careful person writes them: an object that is freed below two calls before its thread
# is joined, and a lock that is forgotten, on a branch that no run takes as well.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
mend() { # NAME COMMAND...
    name=$1
    shift
    "$@" >said || echo "exit $?"
    sed -n '1s/, round.*//; 1,/^why/p' said | grep -v '^why'
    patch -s -p1 <$name.heddle/patches/*.diff
    gcc -Wall -Wextra -Werror -pthread $name.c -o plain
}
for name in logger mood; do
    cp "$TOP/tests/cases/repair/$name.c" .
    "$HEDDLE" cc -g -pthread $name.c -o $name
done
"$HEDDLE" check -- ./logger >/dev/null || :
mend logger "$HEDDLE" fix --in-place --runs 20 --explore 20 use-after-free
mend mood "$HEDDLE" fix --in-place --runs 60 --explore 20 --unrun -- ./mood
