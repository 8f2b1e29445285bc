# SPDX-License-Identifier: Apache-2.0
# Programs as people write them, repaired by one command: a wait in an `if`, two different failures in one
# patch, a race that does no harm, and an access that no run makes.
"$HEDDLE" fix --help >/dev/null 2>&1 || exit 77
told() {
    python3 -c 'import json, sys
w = json.load(open("said"))
b = w["best"]
print(sys.argv[1], w["verdict"], "by", b["recipe"] + ";", b["locks"], "new locks,", b["lines"], "lines")
for n in b["notes"]:
    print("  " + n)
for line in b["proof"]:
    if line.startswith("no run fails"):
        print("  " + line)' "$1"
}
for name in prodcons two; do
    cp "$TOP/tests/cases/repair/$name.c" .
    "$HEDDLE" cc -g -pthread $name.c -o $name
    "$HEDDLE" fix --runs 100 --explore 30 --json -- ./$name >said || echo "exit $?"
    told $name
    python3 -c 'import json; print(json.load(open("said"))["best"]["diff"], end="")' | patch -s -p1
    gcc -Wall -Wextra -Werror -pthread $name.c -o plain
done
"$HEDDLE" cc -g -pthread two.c -o two
"$HEDDLE" fix --runs 40 -- ./two 2>&1 || echo "exit $?"
cp "$TOP/tests/cases/repair/hits.c" .
"$HEDDLE" cc -g -pthread hits.c -o hits
"$HEDDLE" check -- ./hits >/dev/null || :
"$HEDDLE" fix --explore 30 --json race >said || echo "exit $?"
told hits
"$HEDDLE" fix --explore 30 --unrun --json race >said || echo "exit $?"
told "hits --unrun"
