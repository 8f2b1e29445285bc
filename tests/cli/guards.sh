# SPDX-License-Identifier: Apache-2.0
# Which lock guards what: one for all, one in each object, one for each index.
code() { "$@" || echo "exit $?"; }
cp "$HERE/guards.c" .
"$HEDDLE" cc -g -pthread guards.c -o guards
echo "== from runs that it makes"
code "$HEDDLE" guards -- ./guards | tee said
echo "== the same with one job"
code "$HEDDLE" guards --jobs 1 -- ./guards | diff said -
echo "== everything, from one run that is there"
"$HEDDLE" run --policy pos --seed 3 -- ./guards >/dev/null
code "$HEDDLE" guards --all guards.heddle/runs/last
echo "== JSON"
code "$HEDDLE" guards --json -- ./guards | sed '/^exit/d' | python3 -c 'import json, sys
for g in json.load(sys.stdin)["guards"]:
    print(g["variable"], g["object"], g["field"], g["lock"], g["bond"], g["guarded_sites"], g["sites"],
          [u["line"] for u in g["uses"] if u["guarded"] < u["count"]])'
echo "== annotated"
"$HEDDLE" guards --annotate -- ./guards >diff
cat diff
patch -s -p1 <diff
for compiler in gcc clang-19; do $compiler -Wall -Wextra -Werror -pthread guards.c -o annotated; done
echo "== one that nothing is wrong with"
"$TOP/tests/pfix/each" "$TOP/tests/pfix/reorder2/right.c" guards --runs 8
echo "== mistakes"
code "$HEDDLE" guards
code "$HEDDLE" guards nowhere
code "$HEDDLE" guards -- /bin/true

echo "== a class, annotated: Clang reads the attributes"
cp "$TOP"/tests/pfix/more/stats/right/* .
"$HEDDLE" c++ -g -pthread main.cpp stats.cpp -o stats
"$HEDDLE" guards --annotate -- ./stats >diff
patch -s -p1 <diff
grep GUARDED_BY'(lock_)' stats.hpp
clang++-19 -Wall -Wextra -Wthread-safety -c stats.cpp -o /dev/null 2>&1 | grep -c error || :

echo "== members of the same names, a bit-field, lines that end in CRLF; threads that end soon are shared, too"
sed 's/$/\r/' "$HERE/guards-two.c" >two.c
"$HEDDLE" cc -g -pthread two.c -o two
code "$HEDDLE" guards -- ./two
"$HEDDLE" guards --annotate -- ./two >diff
patch --binary -s -p1 <diff
tr -d '\r' <two.c | grep GUARDED_BY'(lock)[,;:]' || :
grep -vc "$(printf '\r')" two.c || :
for compiler in gcc clang-19; do $compiler -Wall -Wextra -Werror -pthread two.c -o annotated; done

echo "== an object on a stack, in C++: what the source calls it"
cp "$HERE/guards-inv.cpp" inv.cpp
"$HEDDLE" c++ -g -pthread inv.cpp -o inv
code "$HEDDLE" guards -- ./inv
code "$HEDDLE" causes -- ./inv | sed -n '4,7p'
