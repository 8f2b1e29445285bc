/* Thread names are set and read from inside and outside, and long ones refused. */
//~ exit: 0
//~ stdout: own weaver-0, seen from main weaver-0, renamed shuttle
//~ stdout: too long ERANGE
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t named, go;
static char own[16], renamed[16];

static void *weave(void *arg)
{
    (void)arg;
    pthread_setname_np(pthread_self(), "weaver-0");
    pthread_getname_np(pthread_self(), own, sizeof own);
    sem_post(&named);
    sem_wait(&go);
    pthread_getname_np(pthread_self(), renamed, sizeof renamed);
    return NULL;
}

int main(void)
{
    pthread_t t;
    char seen[16] = "";
    sem_init(&named, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&t, NULL, weave, NULL);
    sem_wait(&named);
    pthread_getname_np(t, seen, sizeof seen);
    pthread_setname_np(t, "shuttle");
    int rc = pthread_setname_np(t, "a name of more than fifteen letters");
    sem_post(&go);
    pthread_join(t, NULL);
    printf("own %s, seen from main %s, renamed %s\n", own, seen, renamed);
    printf("too long %s\n", strerrorname_np(rc));
    return 0;
}
