#!/bin/sh
# Sections in awkward C and C++: exactly this text comes out, both compilers take it without a
# warning that the original does not have, and it does the same.
set +e # diff and grep have their own ideas of success
for f in "$HERE"/*.in; do cp "$f" "$(basename "$f" .in)"; done
for old in *.c *.cpp; do # the originals: what is made is called new-...
    new=new-$old
    case $old in *.cpp) lock=cxx:m compilers="g++ clang++-19" ;; *) lock=pthread:m compilers="gcc clang-19" ;; esac
    "$BUILD/tools/section" "$old" "$lock" >"$new" || continue
    diff -u --label "a/$old" --label "b/$old" "$old" "$new"
    for compiler in $compilers; do
        $compiler -Wall -Wextra -Wno-unknown-pragmas -O1 -pthread -o old "$old" 2>old.log || cat old.log
        $compiler -Wall -Wextra -O1 -pthread -o new "$new" 2>new.log || cat new.log
        grep -c warning: old.log >old.count
        grep -c warning: new.log >new.count
        cmp -s old.count new.count || { echo "$compiler: new warnings in $new"; cat new.log; }
        timeout 5 ./old >old.out; echo "exit $?" >>old.out
        timeout 5 ./new >new.out; echo "exit $?" >>new.out
        cmp old.out new.out
    done
    tail -2 new.out
done
