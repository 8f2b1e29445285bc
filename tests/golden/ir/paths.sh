# SPDX-License-Identifier: Apache-2.0
# The recorded paths of a small program: what was read, written, decided, and what would fail.
cat > prog.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct pair {
    int a;
    short b[4];
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct pair shared, other;
static int table[8], *where = table;
static unsigned char small;
static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void *work(void *arg)
{
    int *got = arg;
    pthread_mutex_lock(&m);
    shared.a += *got;
    shared.b[1] = (short)(shared.a * 3);
    other = shared;
    small = (unsigned char)(small + 200);
    where = &table[shared.a & 7];
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t;
    int *arg = malloc(sizeof *arg);
    *arg = fib(5);
    pthread_create(&t, NULL, work, arg);
    pthread_mutex_lock(&m);
    struct pair copy;
    memcpy(&copy, &other, sizeof copy);
    int n = copy.a > 3 ? copy.b[1] : -copy.b[1];
    switch (shared.a) {
    case 0:
        n += 1;
        break;
    case 5:
        n += 2;
        break;
    }
    table[shared.a] = n / (int)(shared.a - 7);
    assert(*where < 9);
    assert((int8_t)small >= 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
END
"$HEDDLE" cc -pthread prog.c -o prog
"$HEDDLE" run -- ./prog
"$BUILD/tools/bitcode" paths prog prog.heddle/runs/last -v | sed -E 's/[0-9]{14}/ADDRESS/g'
