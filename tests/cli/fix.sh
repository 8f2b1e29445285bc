# SPDX-License-Identifier: Apache-2.0
# From a finding, or a program that fails, to a proven patch: the diff, that it applies and
# compiles, that nothing is left to fix; JSON, SARIF, a page, --apply; mistakes.
code() { "$@" || echo "exit $?"; }
cp "$TOP/examples/tickets.c" "$TOP/examples/transfer.c" .
"$HEDDLE" cc -g -pthread tickets.c -o tickets

echo "== check, then fix"
"$HEDDLE" check -- ./tickets >said || :
code "$HEDDLE" fix >said
sed -n '1,/^why/p' said
grep -c 'verify: fixed' said

echo "== it applies, compiles and is enough"
cp tickets.c old.c
patch -s -p1 <tickets.heddle/patches/*.diff
gcc -Wall -Wextra -Werror -pthread tickets.c -o plain
clang-19 -Wall -Wextra -Werror -pthread tickets.c -o plain
cp old.c tickets.c

echo "== --apply, and again: nothing is left"
code "$HEDDLE" fix --apply --json >said 2>notes
sed "s,$PWD/,,g" notes
cmp tickets.c.orig old.c
python3 -c 'import json
w = json.load(open("said"))
print(w["verdict"], w["best"]["recipe"], w["best"]["locks"], w["best"]["lines"])'
"$HEDDLE" cc -g -pthread tickets.c -o tickets
code "$HEDDLE" fix --runs 60 -- ./tickets

echo "== a deadlock, as SARIF and as a page; our header is found without a flag"
sed -i '1i #include <heddle/annotate.h>' transfer.c
"$HEDDLE" cc -g -pthread transfer.c -o transfer
code "$HEDDLE" fix --sarif --html page.html -- ./transfer >said
python3 -c 'import json
w = json.load(open("said"))
for f in w["runs"][0]["results"][0]["fixes"]:
    print(sorted(f), len(f["artifactChanges"]), len(f["artifactChanges"][0]["replacements"]) > 0)'
PYTHONDONTWRITEBYTECODE=1 python3 "$TOP/tests/golden/report/check-sarif.py" said
grep -c 'Content-Security-Policy' page.html
python3 -c 'import json, re
page = open("page.html").read()
data = json.loads(re.search(r"id=.data.>(.*?)</script>", page, re.S)[1])
print([(x["state"], "\n+" in x["diff"], len(x["proof"]) > 2) for x in data["findings"][0]["fixes"]])'

echo "== mistakes"
code "$HEDDLE" fix one two
code "$HEDDLE" fix --
code "$HEDDLE" fix nonsense --dir tickets.heddle
code "$HEDDLE" fix -- /bin/true
