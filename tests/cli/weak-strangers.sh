# SPDX-License-Identifier: Apache-2.0
# Where code without instrumentation is linked, its atomics may order what a run with weak behaviour shows: predicted, with the
# reason, and no bug for exit codes. Without such code the same is confirmed.
cat >flag.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
extern int other(int);
static void *work(void *arg)
{
    data = other(1);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        assert(data == 1);
    pthread_join(t, NULL);
    return 0;
}
C
echo 'int other(int x) { return x; }' >other.c
"$HEDDLE" cc -g -O1 -pthread flag.c other.c -o seen
gcc -c -O1 other.c -o other.o
"$HEDDLE" cc -g -O1 -pthread flag.c other.o -o unseen
for p in seen unseen; do
    code=0
    "$HEDDLE" check --json -- ./$p >out.json 2>err || code=$?
    echo "$p: exit $code"
    python3 -c '
import json
for f in json.load(open("out.json"))["findings"]:
    print(f["pattern"], f["verdict"], f.get("doubt", ""))' | sort -u
done
