// SPDX-License-Identifier: Apache-2.0
//~ check: race|order|atomicity|failure
// The order is written after the signal that carries its address was sent.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

struct order {
    int left, right, product;
    sem_t done;
};
static sigset_t mask;

static void *multiply(void *arg)
{
    siginfo_t info;
    while (sigwaitinfo(&mask, &info) > 0 && info.si_value.sival_ptr) {
        struct order *o = info.si_value.sival_ptr;
        o->product = o->left * o->right; //~ here
        sem_post(&o->done);
    }
    return arg;
}

static void send(void *p)
{
    must(sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_ptr = p}) == 0);
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    sigemptyset(&mask);
    sigaddset(&mask, SIGRTMIN + 2);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    pthread_create(&t, NULL, multiply, NULL);
    for (int i = 1; i <= 3; i++) {
        struct order *o = calloc(1, sizeof *o);
        sem_init(&o->done, 0, 0);
        send(o);
        o->left = o->right = i; //~ here
        while (sem_wait(&o->done) != 0)
            ;
        sum += o->product;
        sem_destroy(&o->done);
        free(o);
    }
    send(NULL);
    pthread_join(t, NULL);
    printf("%d\n", sum);
    return sum != 14;
}
