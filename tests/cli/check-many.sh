# SPDX-License-Identifier: Apache-2.0
# Several runs in one report: inputs, arguments, schedules, and what another program starts.
code() { "$@" || echo "exit $?"; }
cp "$TOP/examples/counter.c" .
cat >reads.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int sum, last;
static void *add(void *p)
{
    sum += 1;
    return p;
}
static void *set(void *p)
{
    last = 1;
    return p;
}
int main(int argc, char **argv)
{
    int n;
    pthread_t t;
    if (scanf("%d", &n) != 1)
        return 3;
    pthread_create(&t, NULL, n == 5 ? add : set, NULL);
    if (n == 5 || argc > 1)
        sum += 1;
    if (argc > 2)
        last = atoi(argv[2]);
    pthread_join(t, NULL);
    return 0;
}
EOF
summary() { grep -e '^race' -e '^looked' -e '^[0-9]* finding' -e '^no bug' -e '^exit' | sed 's/of the same cause/alike/'; }
echo 5 >five
echo 6 >six
"$HEDDLE" cc -g -pthread reads.c -o reads
echo "== what came through a pipe is there again"
echo 5 | code "$HEDDLE" check --no-explore -- ./reads | summary
echo "== two inputs"
code "$HEDDLE" check --no-explore --input six --input five -- ./reads | summary
echo "== two lines of arguments"
code "$HEDDLE" check --no-explore --input six --args one --args '"the one" 7' -- ./reads | summary
"$HEDDLE" list | cut -d ' ' -f 1 | while read -r id; do ls reads.heddle/witnesses/$id.witness; done
echo "== three schedules, merged"
code "$HEDDLE" check --no-explore --runs 3 --json counter.c -- >json || true
python3 -c 'import json; t = open("json").read(); f = json.loads(t[:t.rindex("}") + 1])
print(f["runs"], [(x["id"], x["verdict"]) for x in f["findings"]])'
echo "== what a script starts"
printf '#!/bin/sh\necho 5 | ./reads\ncounter.heddle/counter\necho done\n' >tests.sh
code "$HEDDLE" check -- sh tests.sh | summary
"$HEDDLE" replay sh.heddle/witnesses/race-5731f771.witness -- counter.heddle/counter >/dev/null 2>&1 || echo "replay: exit $?"
code "$HEDDLE" check --no-explore --stats -- ./reads <five 2>&1 >/dev/null | sed 's/[0-9.][0-9.]*/N/g'
echo "== what a script starts elsewhere, with a variable, is explored there"
cat >idle.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int left;
static void *take(void *p)
{
    pthread_mutex_lock(&m);
    int seen = left;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    left = seen - 1;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t a, b;
    left = atoi(getenv("ITEMS"));
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return left;
}
EOF
mkdir sub
"$HEDDLE" cc -g -pthread idle.c -o sub/idle
code "$HEDDLE" check --json -- sh -c 'cd sub && ITEMS=2 ./idle' >json
python3 - <<'EOF'
import json, os
t = open("json").read()
f = json.loads(t[:t.rindex("}") + 1])["findings"][0]
print(f["verdict"], f["harm"], f["replay"].startswith("cd " + os.path.realpath("sub") + " && heddle replay "))
open("again", "w").write(f["replay"])
EOF
PATH=$(dirname "$HEDDLE"):$PATH ITEMS=2 sh -e again >/dev/null 2>&1 || echo "replay: exit $?"
