// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A random number from /dev/urandom decides who writes last; that is decided without a lock.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static unsigned char dice;
static int winner;

static void *play(void *arg)
{
    for (volatile int i = 0; i < dice % 4; i++)
        sched_yield();
    winner = (int)(long)arg; //~ here
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
