// SPDX-License-Identifier: Apache-2.0
// A file that was there before has two names, and is written through one;
// what is told comes after that.
//~ check: race|order
//~ given: printf 1 > one; ln one two
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int data, seen;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *send_it(void *arg)
{
    int out = open("one", O_WRONLY);
    must(pwrite(out, "2", 1, 0) == 1);
    data = 42; //~ here
    return arg;
}

static void *get_it(void *arg)
{
    char c = 0;
    int in = open("two", O_RDONLY);
    while (pread(in, &c, 1, 0) == 1 && c != '2')
        sched_yield();
    seen = data; //~ here
    return arg;
}

int main(void)
{
    pthread_t s, g;
    struct stat a, b;
    must(stat("one", &a) == 0 && stat("two", &b) == 0 && a.st_ino == b.st_ino &&
         a.st_nlink == 2);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}
