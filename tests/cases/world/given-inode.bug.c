// SPDX-License-Identifier: Apache-2.0
// A log is rotated: who has it open sees it by the number of the name;
// what is told comes after that.
//~ check: race|order
//~ given: printf old > log
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int data, seen;

static int fd;

static ino_t number_of(const char *name)
{
    struct stat st;
    if ((name ? stat(name, &st) : fstat(fd, &st)) != 0)
        return 0;
    return st.st_ino;
}

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *send_it(void *arg)
{
    must(rename("log", "log.1") == 0);
    must(open("log", O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0);
    data = 42; //~ here
    return arg;
}

static void *get_it(void *arg)
{
    ino_t now;
    while ((now = number_of("log")) == 0 || now == number_of(NULL))
        sched_yield();
    seen = data; //~ here
    return arg;
}

int main(void)
{
    pthread_t s, g;
    ino_t before = number_of("log");
    fd = open("log", O_WRONLY | O_APPEND);
    must(fd >= 0 && number_of(NULL) == before);
    must(write(fd, "x", 1) == 1);
    must(number_of(NULL) == before && number_of("log") == before);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
