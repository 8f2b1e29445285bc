/* A sleep of an hour is irrelevant when another thread ends the program. */
//~ exit: 0
//~ stdout: leaving while main sleeps
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *leave(void *arg)
{
    (void)arg;
    puts("leaving while main sleeps");
    exit(0);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, leave, NULL);
    for (;;) /* a schedule may let the hour pass */
        sleep(3600);
}
