/* Threads write their parts of one file with pwrite and read their neighbour's with pread. */
//~ exit: 0
//~ stdout: size 4000, right bytes 4000, missing file ENOENT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 4, PART = 1000 };

static int fd, right[THREADS];
static pthread_barrier_t written;

static void *work(void *arg)
{
    int me = (int)((int *)arg - right), next = (me + 1) % THREADS;
    char part[PART];
    memset(part, 'a' + me, PART);
    ssize_t n = pwrite(fd, part, PART, (off_t)me * PART);
    pthread_barrier_wait(&written);
    n = n == PART ? pread(fd, part, PART, (off_t)next * PART) : 0;
    for (ssize_t i = 0; i < n; i++)
        right[me] += part[i] == 'a' + next;
    return NULL;
}

int main(void)
{
    char name[] = "/tmp/heddle-files-XXXXXX";
    pthread_t t[THREADS];
    int sum = 0;
    struct stat info;
    fd = mkstemp(name);
    if (fd < 0)
        return 1;
    unlink(name);
    pthread_barrier_init(&written, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &right[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sum += right[i];
    }
    fstat(fd, &info);
    int missing = open(name, O_RDONLY) < 0 ? errno : 0;
    printf("size %lld, right bytes %d, missing file %s\n", (long long)info.st_size, sum,
           strerrorname_np(missing));
    return close(fd);
}
