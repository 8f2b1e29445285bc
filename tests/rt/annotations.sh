# SPDX-License-Identifier: Apache-2.0
# Annotations for other tools that a program calls on its own: it links, they do no harm, and what they
# order is ordered.
cat > told.c << 'E'
#include <pthread.h>
#include <stdio.h>

void __tsan_acquire(void *);
void __tsan_release(void *);
void __tsan_mutex_create(void *, unsigned);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, long, const char *);

static int value;
static volatile int flag;

static void *produce(void *arg)
{
    value = 42;
    __tsan_release(&value);
    AnnotateHappensBefore(__FILE__, __LINE__, &value);
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    int lock;
    AnnotateBenignRaceSized(__FILE__, __LINE__, &flag, sizeof flag, "told by hand");
    __tsan_mutex_create(&lock, 0);
    pthread_create(&t, NULL, produce, NULL);
    while (!flag)
        ;
    __tsan_acquire(&value);
    AnnotateHappensAfter(__FILE__, __LINE__, &value);
    printf("%d\n", value);
    pthread_join(t, NULL);
    return 0;
}
E
"$HEDDLE" cc -O1 -g -pthread told.c -o told
"$HEDDLE" run -- ./told
"$HEDDLE" replay told.heddle/runs/last
"$HEDDLE" predict told.heddle/runs/last/trace > found 2> said || true
grep -c "told.c.*'value'" found || true
