# SPDX-License-Identifier: Apache-2.0
# Which accesses make a program fail: a lost update, two locks in a circle, a signal too early; and
# a program that does not fail.
code() { "$@" || echo "exit $?"; }
each() { "$TOP/tests/pfix/each" "$TOP/tests/pfix/$1" causes "${@:2}"; }
first() { sed -n '/^  1\./,/^  2\./p' | sed '/^  2\./d; s/  */ /g; s/ [0-9] of [0-9]/ N of N/g; s/[01]\.[0-9]* [01]\.[0-9]* [0-9]* [0-9]*/share/'; }

echo "== a lost update"
code each atmoerror/atmoerror.c >said
first <said
echo "== the same with one job"
sed 's/runs\/[0-9]*$//' said >two
code "$HEDDLE" causes --jobs 1 -- ./atmoerror | sed 's/runs\/[0-9]*$//' | diff two -
echo "== two variables"
code each consisitency/consisitency.c | first
echo "== locks in a circle, and a lock that is not there"
code each account/account.c >said
grep -A 5 '^deadlock' said | sed -n '3,7p' | sed 's/  */ /g; s/ accounts\(+[0-9]*\)\? / LOCK /; s/[01]\.[0-9]* [01]\..*//'
grep -q '[ab] write  accounts.amount  *account.c:54' said
echo "== a signal before the wait"
"$HEDDLE" cc -g -pthread "$HERE/causes-wake.c" -o wake
code "$HEDDLE" causes -- ./wake | grep -A 2 'lost wake-up' | head -3 | sed 's/  */ /g; s/[01]\.[0-9]* [01]\.[0-9]* [0-9]* [0-9]*/share/'
echo "== JSON"
code "$HEDDLE" causes --json -- ./atmoerror >said
sed -i '/^exit/d' said
python3 -c 'import json, sys
w = json.load(open("said"))
c = w["causes"][0]
print(w["failures"][0]["outcome"], c["kind"], c["pattern"], c["necessary"], c["sufficient"])
for s in c["steps"]: print(s["thread"], s["action"], s["variable"], s["line"], s["stack"])'
echo "== nothing fails"
code each atmoerror/right.c --runs 40
echo "== a circle of locks that no run happened to close"
"$HEDDLE" cc -g -pthread "$HERE/causes-circle.c" -o circle
"$HEDDLE" run --runs 20 --policy pct:3 -- ./circle | grep -c deadlock || true
code "$HEDDLE" causes --runs 4 -- ./circle | sed 's/  */ /g; s/[01]\.[0-9]* [01]\.[0-9]* [0-9]* [0-9]*/share/; /^ [2-9]\./,$d'
echo "== mistakes"
code "$HEDDLE" causes
code "$HEDDLE" causes --nonsense -- ./wake
code "$HEDDLE" causes -- ./nowhere
code "$HEDDLE" causes -- /bin/true
