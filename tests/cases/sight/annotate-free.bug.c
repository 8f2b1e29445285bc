// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free
// A block is freed while it may still be read, behind the annotations.
#include <pthread.h>
#include <stdlib.h>

void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

static int *gauge;

static void *read_gauge(void *arg)
{
    return *gauge > 3 ? NULL : arg;
}

int main(void)
{
    pthread_t t;
    gauge = malloc(sizeof *gauge);
    *gauge = 1;
    pthread_create(&t, NULL, read_gauge, NULL);
    if (AnnotateIgnoreWritesBegin)
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    if (AnnotateIgnoreWritesEnd)
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    free(gauge);
    pthread_join(t, NULL);
    return 0;
}
