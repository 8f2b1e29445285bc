// SPDX-License-Identifier: Apache-2.0
// What the system says of time and memory that were used: a replay sees the same.
//~ stdout: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static long seen[8];

static void *work(void *arg)
{
    struct rusage usage;
    struct tms t;
    struct sysinfo info;
    char path[4096];
    seen[0] = clock();
    getrusage(RUSAGE_SELF, &usage);
    seen[1] = usage.ru_utime.tv_usec + usage.ru_maxrss + usage.ru_minflt;
    seen[2] = times(&t) + t.tms_utime;
    sysinfo(&info);
    seen[3] = (long)info.freeram + info.uptime;
    getcwd(path, sizeof path);
    seen[4] = path[1];
    char *again = getcwd(NULL, 0);
    seen[5] = again[0];
    free(again);
    return arg;
}

int main(void)
{
    pthread_t t;
    long sum = 0;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < 8; i++)
        if (seen[i] % 2)
            sum += seen[i];
    puts(sum != 1 ? "done" : "one");
    return 0;
}
