// SPDX-License-Identifier: Apache-2.0
// What differs from run to run although nothing was asked for: chance, who we are, how the
// machine is doing. A replay sees what the run saw.
//~ stdout: looked at 9 things, files yes
#include <glob.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/timex.h>
#include <unistd.h>

static uint64_t seen;
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void see(const void *p, size_t len)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < len; i++)
        seen = seen * 31 + ((const uint8_t *)p)[i];
    count++;
    pthread_mutex_unlock(&lock);
}

static void see_number(uint64_t number)
{
    see(&number, sizeof number);
}

static void *look(void *arg)
{
    uint8_t bytes[16];
    see_number(arc4random());
    see_number(arc4random_uniform(1000000));
    arc4random_buf(bytes, sizeof bytes);
    see(bytes, sizeof bytes);
    see((const void *)getauxval(AT_RANDOM), 16);
    return arg;
}

int main(void)
{
    pthread_t t;
    glob_t found = {0};
    struct timex now = {0};
    pthread_create(&t, NULL, look, NULL);
    see_number((uint64_t)getpgrp());
    see_number((uint64_t)getsid(0));
    see_number((uint64_t)sysconf(_SC_AVPHYS_PAGES));
    adjtimex(&now);
    see_number((uint64_t)now.time.tv_usec);
    int none = glob("/proc/[0-9]*", 0, NULL, &found);
    see_number(found.gl_pathc);
    pthread_join(t, NULL);
    printf("looked at %d things, files %s\n", count, none == 0 ? "yes" : "no");
    globfree(&found);
    return 0;
}
