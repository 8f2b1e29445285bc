# SPDX-License-Identifier: Apache-2.0
# What heddle fix begins with (nothing, a run, a witness), and what it says besides the patch: alternatives with their
# costs, why this plan, a patch that is too large to be shown.
code() { "$@" || echo "exit $?"; }
cp "$TOP/examples/tickets.c" "$TOP/examples/transfer.c" .
"$HEDDLE" cc -g -pthread tickets.c -o tickets
"$HEDDLE" cc -g -pthread transfer.c -o transfer

echo "== alternatives and why, as text"
code "$HEDDLE" fix --alternatives 1 --explain -- ./tickets >said
sed -n '1p; /^cost/p; /^alternatives/,/^moves/p' said | sed '/running time/d'
grep -c '^  round [0-9]*: move' said
patch -s -p1 --dry-run <said && echo "only the first diff is one"

echo "== as JSON"
code "$HEDDLE" fix --alternatives 1 --explain --json -- ./tickets >said
python3 -c 'import json
w = json.load(open("said"))
best, others, why = w["best"], w["alternatives"], w["explain"]
print(best["recipe"], best["large"], sorted(best["cost"]), best["cost"]["after"]["time_us"] > 0)
print([(c["recipe"], c["state"], c["diff"] != best["diff"], "cost" in c) for c in others])
print([(v["failure"], v["round"]) for v in why["violations"]])
tried = why["tried"][0]
print(tried["round"], tried["state"], [why["moves"][m - 1]["recipe"] for m in tried["moves"]], why["moves"][0]["excludes"])'
code "$HEDDLE" fix --json -- ./tickets >said
python3 -c 'import json
w = json.load(open("said"))
print(w["alternatives"], "explain" in w)'

echo "== too large"
cp tickets.c old.c
code "$HEDDLE" fix --max-lines 1 --rounds 1 --apply -- ./tickets >said
sed -n '3,4p' said
grep -c '^@@' said || :
cmp tickets.c old.c
code "$HEDDLE" fix --max-lines 1 --rounds 1 --json -- ./tickets >said
python3 -c 'import json
b = json.load(open("said"))["best"]
print(b["state"], b["large"], repr(b["diff"]), b["summary"])'
patch -s -p1 --dry-run <tickets.heddle/patches/failure.diff

echo "== a run that failed"
"$HEDDLE" run --runs 40 -- ./transfer >runs || :
run=$(sed -n 's/^deadlock .*heddle replay //p' runs)
rm -rf kept && cp -r transfer.heddle kept
code "$HEDDLE" fix "$run" >said
sed -n 1p said

echo "== nothing yet: one patch for both races; and a witness"
cat >flag.c <<'END'
#include <pthread.h>

static int done, found;

static void *work(void *unused)
{
    (void)unused;
    found = 1;
    done = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int was_done = done + found;
    pthread_join(t, 0);
    return was_done * 0;
}
END
"$HEDDLE" cc -g -pthread flag.c -o flag
code "$HEDDLE" fix --runs 40 -- ./flag >said
sed -n '1s/race-[0-9a-f]*/race-ID/gp' said
grep '^[-+][^-+]' said
code "$HEDDLE" fix --runs 40 "$(ls flag.heddle/witnesses/race-*.witness | sed -n 1p)" 2>notes | sed -n '1s/race-[0-9a-f]*/race-ID/p'

echo "== mistakes"
code "$HEDDLE" fix --max-lines 0 -- ./tickets
code "$HEDDLE" fix --alternatives 0 -- ./tickets
