// SPDX-License-Identifier: Apache-2.0
//~ check: race
// The value is written once more behind the annotation that tells of it.
#include <pthread.h>
#include <sched.h>

void AnnotateHappensBefore(const char *file, int line, const volatile void *object)
    __attribute__((weak));
void AnnotateHappensAfter(const char *file, int line, const volatile void *object)
    __attribute__((weak));
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *object, long size,
                             const char *why) __attribute__((weak));

static volatile int there;
static int value;

static void *produce(void *arg)
{
    value = 42; //~ here
    if (AnnotateHappensBefore)
        AnnotateHappensBefore(__FILE__, __LINE__, &there);
    there = 1;
    value = 43; //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    if (AnnotateBenignRaceSized)
        AnnotateBenignRaceSized(__FILE__, __LINE__, &there, sizeof there, "a flag");
    pthread_create(&t, NULL, produce, NULL);
    while (!there)
        sched_yield();
    if (AnnotateHappensAfter)
        AnnotateHappensAfter(__FILE__, __LINE__, &there);
    int seen = value; //~ here
    pthread_join(t, NULL);
    return seen != 42 && seen != 43;
}
