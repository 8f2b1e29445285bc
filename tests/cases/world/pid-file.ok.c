// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads keep their part in files named after process and part.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int wrong;

static void *keep(void *arg)
{
    char name[64], text[2] = "";
    snprintf(name, sizeof name, "part.%d.%s", (int)getpid(), (char *)arg);
    int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
    if (write(fd, arg, 1) != 1 || pread(fd, text, 1, 0) != 1 || text[0] != *(char *)arg)
        atomic_store(&wrong, 1);
    close(fd);
    unlink(name);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, keep, "x");
    pthread_create(&b, NULL, keep, "y");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(atomic_load(&wrong) ? "mixed up" : "fine");
    return atomic_load(&wrong);
}
