# SPDX-License-Identifier: Apache-2.0
# idiom FAMILY [OPTION ...]: mends its bug, prints how that is called and the diff, and compiles the result twice.
idiom() {
    echo "== $*"
    rm -rf work
    cp -r "$TOP/tests/pfix/$1/bug" work
    shift
    cd work || return
    case $(ls *.c *.cpp 2>/dev/null) in
    *.cpp) flags="-std=c++17" own="$HEDDLE c++" compilers="g++ clang++-19" ;;
    *) flags="" own="$HEDDLE cc" compilers="gcc clang-19" ;;
    esac
    $own $flags -O1 -g -pthread *.c* -o prog &&
        "$HEDDLE" fix --runs 200 --explore 30 --json "$@" -- ./prog >said 2>/dev/null
    python3 -c '
import json
best = json.load(open("said"))["best"]
print(best["state"], best["recipe"], best["locks"], "new locks")
open("diff", "w").write(best["diff"])'
    cat diff
    patch -s -p1 <diff
    for compiler in $compilers; do
        $compiler $flags -Wall -Wextra -Werror -O1 -pthread -c *.c* || echo "$compiler refuses it"
    done
    cd ..
}
