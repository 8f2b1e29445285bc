#!/bin/sh
# Sections in awkward C and C++: exactly this diff comes out, `patch -p1` makes of it what the edits
# make, both compilers take it without a warning that the original does not have, and it does the same.
# Every path is walked with locks that say when they are taken twice, or not held.
set +e # grep has its own idea of success
gcc -Wall -Wextra -c -o balanced.o "$HERE/balanced.c" || exit 1
for f in "$HERE"/*.in; do
    name=$(basename "$f" .in)
    case $name in *.cpp) lock=cxx:m compilers="g++ clang++-19" ;; *) lock=pthread:m compilers="gcc clang-19" ;; esac
    wanted=$(sed -n 's,^//~ lock: ,,p' "$f")
    mkdir a b
    cp "$f" "a/$name"
    cp "$f" "b/$name"
    (cd a && "$BUILD/tools/section" "$name" "${wanted:-$lock}" ../edited >../diff) || { echo "$name: refused"; rm -rf a b; continue; }
    cat diff
    (cd b && patch -s -p1 --no-backup-if-mismatch <../diff) && cmp edited "b/$name"
    for compiler in $compilers; do
        for side in a b; do
            $compiler -Wall -Wextra -Wno-unknown-pragmas -O1 -pthread -o $side.run "$side/$name" balanced.o 2>$side.log || cat $side.log
            grep -o 'warning: .*' $side.log >$side.warnings
            timeout 5 ./$side.run >$side.out; echo "exit $?" >>$side.out
        done
        cmp -s a.warnings b.warnings || { echo "$compiler: new warnings in $name"; cat b.log; }
        cmp a.out b.out
    done
    tail -2 b.out
    rm -rf a b
done
