// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A random number from /dev/urandom decides how long a thread works; its output may differ.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static unsigned char dice;
static int winner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *play(void *arg)
{
    for (volatile int i = 0; i < dice % 4; i++)
        sched_yield();
    pthread_mutex_lock(&lock);
    winner = (int)(long)arg; //~ here
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int fd = open("/dev/urandom", O_RDONLY);
    if (read(fd, &dice, 1) != 1)
        return 2;
    close(fd);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, play, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("dice %d, winner %d\n", dice % 4, winner);
    return winner == 0;
}
