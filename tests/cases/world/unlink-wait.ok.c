// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A pid file that is gone tells that the service has ended.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int running = 1;

static void *service(void *arg)
{
    usleep(1000);
    running = 0;
    unlink("service.pid");
    return arg;
}

static void *monitor(void *arg)
{
    while (access("service.pid", F_OK) == 0)
        usleep(2000);
    *(int *)arg = running; //~ here
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int seen = 1;
    close(open("service.pid", O_CREAT | O_WRONLY, 0600));
    pthread_create(&a, NULL, service, NULL);
    pthread_create(&b, NULL, monitor, &seen);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("running: %d\n", seen);
    return seen;
}
