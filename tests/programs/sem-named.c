/* Named semaphores: one object per name, EEXIST, ENOENT, use after unlink. */
//~ exit: 0
//~ stdout: again the same yes, exclusive EEXIST, missing ENOENT
//~ stdout: unlinked 0, twice ENOENT, still counts 3
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char name[64];

static void *post(void *arg)
{
    (void)arg;
    sem_t *s = sem_open(name, 0);
    sem_post(s);
    sem_close(s);
    return NULL;
}

static const char *open_error(const char *path, int flags)
{
    sem_t *s = sem_open(path, flags, 0600, 1);
    if (s != SEM_FAILED)
        sem_close(s);
    return s == SEM_FAILED ? strerrorname_np(errno) : "opened";
}

int main(void)
{
    snprintf(name, sizeof name, "/heddle-programs-%ld", (long)getpid());
    sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    if (s == SEM_FAILED)
        return 1;
    sem_t *again = sem_open(name, O_CREAT, 0600, 99); /* exists: 99 is ignored */
    printf("again the same %s, exclusive %s, ", s == again ? "yes" : "no",
           open_error(name, O_CREAT | O_EXCL));
    printf("missing %s\n", open_error("/heddle-programs-missing", 0));

    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, post, NULL);
    for (int i = 0; i < 3; i++)
        sem_wait(s);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    sem_close(again);
    int unlinked = sem_unlink(name), twice = sem_unlink(name) == 0 ? 0 : errno, value = -1;
    for (int i = 0; i < 3; i++)
        sem_post(s);
    sem_getvalue(s, &value);
    printf("unlinked %d, twice %s, still counts %d\n", unlinked, strerrorname_np(twice), value);
    return sem_close(s);
}
