/* A pipe between two threads carries more than it can hold, in order, up to the end of file. */
//~ exit: 0
//~ stdout: bytes 200000, in order yes, end of file yes
//~ stdout: write without a reader: EPIPE
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 200000 };

static int ends[2];

static void *writer(void *arg)
{
    char block[1000];
    for (int sent = 0; sent < BYTES; sent += (int)sizeof block) {
        for (size_t i = 0; i < sizeof block; i++)
            block[i] = (char)((sent + (int)i) % 251);
        for (size_t done = 0; done < sizeof block;) {
            ssize_t n = write(ends[1], block + done, sizeof block - done);
            if (n < 0)
                return NULL;
            done += (size_t)n;
        }
    }
    close(ends[1]);
    return arg;
}

int main(void)
{
    pthread_t t;
    char block[777];
    int received = 0, ordered = 1;
    ssize_t n;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&t, NULL, writer, NULL);
    while ((n = read(ends[0], block, sizeof block)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            ordered = ordered && block[i] == (char)((received + i) % 251);
        received += (int)n;
    }
    pthread_join(t, NULL);
    printf("bytes %d, in order %s, end of file %s\n", received, ordered ? "yes" : "no",
           n == 0 ? "yes" : "no");
    close(ends[0]);

    if (pipe(ends) != 0)
        return 1;
    close(ends[0]);
    n = write(ends[1], "x", 1);
    printf("write without a reader: %s\n", n < 0 ? strerrorname_np(errno) : "accepted");
    return 0;
}
