// SPDX-License-Identifier: Apache-2.0
// Functions of the C library fill in parts of structs, and free what they had allocated. What
// is between the parts is left from other calls, some of which a replay does not make. What was
// learnt is added up without a lock.
//~ check: race|atomicity
#define _GNU_SOURCE
#include <dirent.h>
#include <glob.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long known;

/* A deep stack, with other bytes each time. */
__attribute__((noinline)) static long ask(void)
{
    char noise[4096];
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found = NULL;
    long n = getentropy(noise, 256);
    if (getaddrinfo("127.0.0.1", "80", &hints, &found) == 0) {
        n += found->ai_protocol;
        freeaddrinfo(found);
    }
    for (int i = 256; i < (int)sizeof noise; i++)
        noise[i] = noise[i % 256];
    return n + (noise[4000] & 1);
}

__attribute__((noinline)) static long look(void)
{
    struct sigaction before;
    sigset_t set;
    struct tm day;
    glob_t names;
    time_t when = 86400;
    long n = sigaction(SIGUSR1, NULL, &before);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    n += sigismember(&set, SIGUSR1) + (gmtime_r(&when, &day) != &day);
    if (glob("/etc/pass*", 0, NULL, &names) == 0)
        globfree(&names);
    DIR *here = opendir("/proc/self");
    n += here && !readdir(here);
    if (here)
        closedir(here);
    return n + mktime(&day) % 2;
}

static void *work(void *arg)
{
    for (int i = 0; i < 2; i++) {
        long asked = ask(), n = look();
        known += n + asked % 1; //~ here
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return known != 0;
}
