// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// An atomic value may be looked at at any time.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int progress;
static int seen[4];

static void *work(void *unused)
{
    (void)unused;
    atomic_store(&progress, 1);
    return NULL;
}

static void *watch(void *where)
{
    seen[*(int *)where] = atomic_load(&progress) == 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int where = 2;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, watch, &where);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
