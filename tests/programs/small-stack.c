/* Threads with the smallest stack that there is call what needs little of it. */
//~ exit: 0
//~ stdout: 4 of 4 have found it
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 4 };

static void *look(void *arg)
{
    struct stat about;
    int fd = open("/dev/null", O_RDONLY);
    *(int *)arg = fd >= 0 && fstat(fd, &about) == 0 && access("/dev/null", R_OK) == 0;
    if (fd >= 0)
        close(fd);
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t t[THREADS];
    int found[THREADS], sum = 0;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], &attr, look, &found[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sum += found[i];
    }
    printf("%d of %d have found it\n", sum, THREADS);
    return 0;
}
