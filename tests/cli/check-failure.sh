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
code "$HEDDLE" check --symbolic off desk.c >report
sed -e 's/^ *[0-9]*> .*/  key step/' -e 's/runs\/[0-9]*$/runs\/N/' report | grep -v -e '^ *[0-9]' -e '\.\.' |
    uniq
run=$(sed -n 's/^ *again  heddle replay //p' report)
echo "== the run that is named is the one that fails"
code "$HEDDLE" replay "$run" 2>&1 | head -1 | sed 's/T[0-9]/T/'
echo "== and needs every switch that it has"
"$HEDDLE" minimize "$run" | head -1 | sed 's/(.*//; s/[0-9]* of [0-9]*/N of N/'
echo "== in JSON: sites and steps"
"$HEDDLE" report --json | python3 -c '
import json, sys
f = json.load(sys.stdin)["findings"][0]
print(f["pattern"], f["verdict"], f["harm"], len(f["sites"]) >= 3, len(f["steps"]) >= 3)'
