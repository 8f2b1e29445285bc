// SPDX-License-Identifier: Apache-2.0
// A file that is listed is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int data, seen;
static bool is_listed(void)
{
    DIR *d = opendir("edge-dir");
    bool found = false;
    for (struct dirent *e; d && (e = readdir(d));)
        found |= strcmp(e->d_name, "made") == 0;
    closedir(d);
    return found;
}

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (open("edge-dir/made", O_WRONLY | O_CREAT, 0600) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (!is_listed())
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (mkdir("edge-dir", 0700) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
