# SPDX-License-Identifier: Apache-2.0
# Is a change sufficient? Every way to name the two programs, every verdict, every mistake.
code() { "$@" 2>&1 || echo "exit $?"; }
short() { sed 's/ (heddle replay.*//; s/[0-9]* runs/N runs/; /^cost/d; /^$/,/^$/d'; }
cp "$HERE/verify-before.c" before.c
# The section begins behind the look at the balance.
sed 's/^    if (there/    pthread_mutex_lock(\&lock);\n&/; s/^    return NULL/    pthread_mutex_unlock(\&lock);\n&/' before.c >short.c
sed 's/^    int there/    pthread_mutex_lock(\&lock);\n&/; s/^    return NULL/    pthread_mutex_unlock(\&lock);\n&/' before.c >right.c
echo "== too short"
code "$HEDDLE" verify --before before.c --after short.c | short
"$HEDDLE" replay short.heddle/verify/broken.witness >/dev/null 2>&1 || echo "replay: exit $?"
echo "== right"
code "$HEDDLE" verify --before before.c --after right.c | short
echo "== a trace whose locks were not enforced"
for t in right.heddle/verify/[0-9]*/trace; do
    "$HEDDLE" trace stat "$t" | grep -q 'not enforced' || continue
    "$HEDDLE" trace stat "$t" | grep -o 'locks not enforced'
    code "$HEDDLE" predict "$t" | sed 's,^.*/trace,trace,'
done
echo "== a deadlock"
sed 's/^static int balance/static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;\n&/; s/NULL, draw, NULL/NULL, draw, i ? \&lock : NULL/
s/^    (void)arg;/    pthread_mutex_t *first = arg ? \&lock : \&other, *second = arg ? \&other : \&lock;\n    pthread_mutex_lock(first);\n    pthread_mutex_lock(second);/
s/^    return NULL/    pthread_mutex_unlock(second);\n    pthread_mutex_unlock(first);\n&/' before.c >stuck.c
code "$HEDDLE" verify --before before.c --after stuck.c | grep -v '^$' | sed -n 's/ (heddle replay.*//; 1,/^    ends/p'
echo "== programs, and a failing run"
"$HEDDLE" cc -g -pthread before.c -o before
"$HEDDLE" cc -g -pthread right.c -o right
"$HEDDLE" run --policy pos --runs 50 --until fail -- ./before >/dev/null 2>&1 || true
code "$HEDDLE" verify --before ./before --after ./right --schedule before.heddle/runs/1 | head -1
echo "== a patch"
diff -u before.c short.c | sed 's,^--- before.c,--- a/before.c,; s,^+++ short.c,+++ b/before.c,' >short.diff
code "$HEDDLE" verify short.diff -- ./before | head -1
code "$HEDDLE" verify --build '"$HEDDLE" cc -g -pthread before.c -o before' short.diff -- ./before | head -1
cmp before.c "$HERE/verify-before.c"
echo "== a revision"
mkdir project && cp before.c project/prog.c && cd project
git init -q . && git add prog.c && git -c user.name=x -c user.email=x@x commit -qm one
cp ../right.c prog.c && "$HEDDLE" cc -g -pthread prog.c -o prog
code "$HEDDLE" verify --git HEAD -- ./prog | head -1
cd ..
echo "== another failure, which the program before has too"
cat >both.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;
static void *work(void *x)
{
    int v = a;
    a = v + 1;
    int w = b;
    b = w + 1;
    return x;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(b == 2);
    assert(a == 2);
    pthread_mutex_destroy(&m);
    return 0;
}
END
sed 's/^    int w/    pthread_mutex_lock(\&m);\n&/; s/^    return x/    pthread_mutex_unlock(\&m);\n&/' both.c >one.c
"$HEDDLE" cc -g -pthread both.c -o both
run=$("$HEDDLE" run --policy pos --runs 60 --keep 1 -- ./both | sed -n 's/^assert both.c:20.*heddle replay //p')
"$HEDDLE" cc -g -pthread one.c -o one
code "$HEDDLE" verify --before ./both --after ./one --schedule "$run" | grep -E '^(fixed|broken|unknown|before|beside: assert)' | sed 's/ (heddle.*//'
echo "== directories"
mkdir old new && cp before.c old/prog.c && cp short.c new/prog.c
# As CMake does it: a directory that only the build makes, and names from the root.
code "$HEDDLE" verify --before old --after new \
    --build 'mkdir -p out && "$HEDDLE" cc -g -pthread "$PWD/prog.c" -o out/prog' -- out/prog | grep -E '^(broken|after|    why)|   \(prog' | sed 's/ (heddle.*//; s,/[^ ]*/,,; s/^broken-[0-9a-f]*/broken-ID/'
echo "== formats"
code "$HEDDLE" verify --json --html page.html --before before.c --after short.c >verdict.json
python3 - <<'END'
import json
text = open("verdict.json").read()
v = json.loads(text[:text.rindex("}") + 1])
print(v["verdict"], v["outcome"].split()[0], sorted(v["account"]))
assert {"sections", "longest", "contended", "time_us"} <= set(v["cost_before"]) & set(v["cost_after"])
assert v["replay"] == "heddle replay " + v["witness"], v["replay"]
assert "<html" in open("page.html").read()
END
code "$HEDDLE" verify --sarif --before before.c --after short.c | python3 -c '
import json, sys
text = sys.stdin.read()
run = json.loads(text[:text.rindex("}") + 1])["runs"][0]
print([r["message"]["text"].split(":")[0] for r in run["results"]])'
echo "== mistakes"
code "$HEDDLE" verify
code "$HEDDLE" verify --before before.c
code "$HEDDLE" verify short.diff
code "$HEDDLE" verify nothing.diff -- ./before
code "$HEDDLE" verify --before true --after ./right
code "$HEDDLE" verify --before ./before --after ./right --schedule nowhere
