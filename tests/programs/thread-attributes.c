/* Thread attributes: stack size, own stack memory, guard, refusal of bad ones. */
//~ exit: 0
//~ stdout: own stack used yes, size 256 KiB yes, guard 8192
//~ stdout: refused: EINVAL EINVAL EINVAL
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK_BYTES = 256 * 1024 };

static char *stack;

static void *where(void *arg)
{
    volatile char local = 1;
    uintptr_t here = (uintptr_t)&local;
    *(int *)arg = here >= (uintptr_t)stack && here < (uintptr_t)stack + STACK_BYTES;
    return NULL;
}

static void *how_large(void *arg)
{
    pthread_attr_t attr;
    size_t size = 0;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstacksize(&attr, &size);
    pthread_attr_destroy(&attr);
    volatile char most_of_it[STACK_BYTES - 64 * 1024];
    for (size_t i = 0; i < sizeof most_of_it; i += 4096)
        most_of_it[i] = 1;
    *(int *)arg = size >= STACK_BYTES && most_of_it[0] == 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t own, sized;
    int inside = 0, large = 0;
    stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_init(&own);
    pthread_attr_setstack(&own, stack, STACK_BYTES);
    pthread_create(&t, &own, where, &inside);
    pthread_join(t, NULL);
    munmap(stack, STACK_BYTES);

    size_t guard = 0;
    pthread_attr_init(&sized);
    pthread_attr_setstacksize(&sized, STACK_BYTES);
    pthread_attr_setguardsize(&sized, 8192);
    pthread_attr_getguardsize(&sized, &guard);
    pthread_create(&t, &sized, how_large, &large);
    pthread_join(t, NULL);
    printf("own stack used %s, size 256 KiB %s, guard %zu\n", inside ? "yes" : "no",
           large ? "yes" : "no", guard);
    printf("refused: %s", strerrorname_np(pthread_attr_setstacksize(&sized, 1)));
    printf(" %s", strerrorname_np(pthread_attr_setdetachstate(&sized, 77)));
    printf(" %s\n", strerrorname_np(pthread_attr_setinheritsched(&sized, 77)));
    pthread_attr_destroy(&own);
    return pthread_attr_destroy(&sized);
}
