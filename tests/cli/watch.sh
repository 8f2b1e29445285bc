# SPDX-License-Identifier: Apache-2.0
# Checks again when the program was built anew, and ends when it is told to.
set +e
unset MAKEFLAGS MAKELEVEL
printf 'int n;\nint main(void) { return n; }\n' >a.c
"$HEDDLE" cc -g -o a a.c
"$HEDDLE" check --watch -- ./a >out 2>notes &
watcher=$!
lines() {
    for i in $(seq 300); do
        [ "$(grep -c '^no bug' out)" -ge "$1" ] && [ "$(grep -c watching notes)" -ge "$1" ] && return
        sleep 0.1
    done
    echo "waited for $1 in vain"
}
lines 1
sed -i 's/return n/return 0 * n/' a.c
"$HEDDLE" cc -g -o new a.c && mv new a
lines 2
kill -INT $watcher
wait $watcher
grep -c '^no bug' out
