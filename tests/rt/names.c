/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0. The target's own variables and functions have names that the runtime uses. */
#include "hooks.h"
#include <assert.h>
#include <pthread.h>

int self = 1, rt = 2, real = 3, mutex_lock = 4;
__thread int rt_local;
int point(int x);
int record_event(int x);
void sched_slow(void);

int point(int x)
{
    return x + 1;
}

int record_event(int x)
{
    return x + 2;
}

void sched_slow(void)
{
    assert(!"never called");
}

static void *work(void *arg)
{
    W(self, R(self) + 1);
    W(rt, R(rt) + 1);
    rt_local = 7;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        HERE();
        pthread_create(&t[i], NULL, work, NULL);
    }
    for (int i = 0; i < 2; i++) {
        HERE();
        pthread_join(t[i], NULL);
    }
    assert(R(self) == 2 || R(self) == 3);
    assert(R(rt) == 3 || R(rt) == 4);
    assert(real == 3 && mutex_lock == 4 && rt_local == 0);
    assert(point(1) == 2 && record_event(1) == 3);
    return 0;
}
