/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * A lock that is tried by exchange; whoever waits counts its tries in memory. After some it
 * rests until somebody has changed something, under every policy; else it would try on as often
 * as the policy picks it. */
#include "hooks.h"
#include <assert.h>
#include <pthread.h>

enum { SECTIONS = 3, TRIES_MAX = 400 };

static int lock, inside;
static __thread int tries;

#define EXCHANGE(x, v)                                                             \
    ({                                                                             \
        struct __heddle_site *s_ = SITE(#x);                                       \
        ATOMIC_POINT(x, HEDDLE_ATOMIC_RMW, s_);                                    \
        int b_ = __atomic_exchange_n(&(x), (v), __ATOMIC_SEQ_CST);                 \
        __heddle_rmw((void *)&(x), sizeof(x), (uint64_t)b_, (uint64_t)(v), 5, s_); \
        b_;                                                                        \
    })

static void *enter(void *arg)
{
    for (int i = 0; i < SECTIONS; i++) {
        while (BRANCH(EXCHANGE(lock, 1)))
            W(tries, tries + 1);
        assert(R(inside) == 0);
        for (int k = 0; k < 20; k++)
            W(inside, R(inside) + 1);
        W(inside, 0);
        STORE(lock, 0);
    }
    assert(tries < TRIES_MAX);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, enter, NULL);
    enter(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
