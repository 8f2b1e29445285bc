// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A B
// The semaphore is destroyed while a thread waits for it.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t s;

static void *waiter(void *arg)
{
    sem_wait(&s); //~ B
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, waiter, NULL);
    usleep(100000);
    sem_destroy(&s); //~ A
    _exit(0);
}
