/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this directory share. They are our own, written from what the paper
 * (Wang, Limaye, Ganai, Gupta: Trace-Based Symbolic Analysis for Atomicity Violations, 2010,
 * section 6) says about its test programs. The number of threads is the argument. */
#ifndef TESTS_FUSION_H
#define TESTS_FUSION_H

#include <heddle/annotate.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 8 };

static int thread_count(int argc, char **argv, int otherwise)
{
    int n = argc > 1 ? atoi(argv[1]) : otherwise;
    return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : n;
}

static void run_threads(void *(*work)(void *), int count)
{
    static int number[THREADS_MAX];
    pthread_t t[THREADS_MAX];
    for (int i = 0; i < count; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, work, &number[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
}

#endif
