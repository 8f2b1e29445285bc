// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// Spin, then park on a futex; the token hands over a plain message. The spinning part
// looks relaxed.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int token; /* 1: posted, -1: parked */
static struct {
    int length;
    const char *text;
} message;

static void park(void)
{
    for (int i = 0; i < 20; i++) {
        int one = 1;
        if (atomic_compare_exchange_strong_explicit(&token, &one, 0, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
    int zero = 0;
    if (!atomic_compare_exchange_strong_explicit(&token, &zero, -1, memory_order_relaxed,
                                                 memory_order_acquire))
        return;
    while (atomic_load_explicit(&token, memory_order_acquire) == -1)
        syscall(SYS_futex, &token, FUTEX_WAIT_PRIVATE, -1, NULL, NULL, 0);
}

static void unpark(void)
{
    if (atomic_exchange_explicit(&token, 1, memory_order_release) == -1)
        syscall(SYS_futex, &token, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *sender(void *arg)
{
    message.text = "hello"; //~ here
    message.length = 5;     //~ here
    unpark();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, sender, NULL);
    park();
    assert(message.text[message.length] == 0); //~ here
    pthread_join(t, NULL);
    return 0;
}
