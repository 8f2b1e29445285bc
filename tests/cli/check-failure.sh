# SPDX-License-Identifier: Apache-2.0
# A failure that only an exploration meets is told like any other: where, in which order, why.
code() { "$@" || echo "exit $?"; }
cat >desk.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>

struct token {
    int id;
    struct token *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t back = PTHREAD_COND_INITIALIZER;
static struct token only, *first = &only;

static struct token *take(void)
{
    pthread_mutex_lock(&lock);
    if (!first)
        pthread_cond_wait(&back, &lock);
    struct token *t = first;
    first = t->next;
    pthread_mutex_unlock(&lock);
    return t;
}

static void give(struct token *t)
{
    pthread_mutex_lock(&lock);
    t->next = first;
    first = t;
    pthread_cond_signal(&back);
    pthread_mutex_unlock(&lock);
}

static void *visitor(void *arg)
{
    for (int i = 0; i < 2; i++)
        give(take());
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, visitor, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOF
echo "== predicted from the run that failed, which gives it a cause"
code "$HEDDLE" check --symbolic off desk.c >report
sed -e 's/^ *[0-9]*> .*/  key step/' report | grep -v -e '^ *[0-9]' -e '\.\.' | uniq
cat >idle.c <<'EOF'
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs;
static bool stopping;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    while (jobs > 0 || !stopping) {
        while (jobs == 0 && !stopping)
            pthread_cond_wait(&more, &m);
        if (jobs > 0)
            jobs--;
    }
    pthread_mutex_unlock(&m);
    return arg;
}

static void submit(int n)
{
    pthread_mutex_lock(&m);
    jobs += n;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    submit(2);
    submit(1);
    pthread_mutex_lock(&m);
    stopping = true;
    if (jobs > 0)
        pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
EOF
echo "== no cause but the failure itself: who waits for whom"
code "$HEDDLE" check --symbolic off idle.c >report
sed -n -e '1p' -e 's/runs\/[0-9]*$/runs\/N/' -e '/^    ends/p' -e '/^    again/p' -e '/waits for/s/^ *[0-9]*> */  /p' report
run=$(sed -n 's/^ *again  heddle replay //p' report)
echo "== the run that is named is the one that fails"
code "$HEDDLE" replay "$run" 2>&1 | head -3
echo "== and needs every switch that it has"
"$HEDDLE" minimize "$run" | head -1 | sed 's/(.*//; s/[0-9]* of [0-9]*/N of N/'
echo "== in JSON: sites and steps"
"$HEDDLE" report --json | python3 -c '
import json, sys
f = json.load(sys.stdin)["findings"][0]
print(f["pattern"], f["verdict"], f["harm"], len(f["sites"]) >= 2, len(f["steps"]) >= 3)
print(":".join(f["message"].split(": ")[:3]))'
sed -e 's/^int main(void)/static volatile int work;\n&/' -e 's/^    submit(2);/    while (work < 30000)\n        work++;\n&/' idle.c >long.c
echo "== a run that is too long to record others, and fails when explored"
code "$HEDDLE" check --symbolic off long.c >report
sed -n -e '1p' -e '/^    ends/p' -e '/^exit/p' report
