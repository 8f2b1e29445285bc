/* SPDX-License-Identifier: Apache-2.0
 *
 * jobs: whoever is free takes the next piece. */
#include "base/jobs.h"
#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct work {
    job_fn job;
    void *arg;
    uint32_t pieces;
    atomic_uint next;
};

struct hand {
    struct work *work;
    uint32_t number;
    pthread_t thread;
};

static void *work_on(void *arg)
{
    const struct hand *h = arg;
    struct work *w = h->work;
    for (uint32_t i; (i = atomic_fetch_add(&w->next, 1)) < w->pieces;)
        w->job(w->arg, h->number, i);
    return NULL;
}

/* Where no thread can be had, fewer do the same. */
void jobs_run(uint32_t workers, uint32_t pieces, job_fn job, void *arg)
{
    struct work work = {.job = job, .arg = arg, .pieces = pieces};
    uint32_t count = workers < pieces ? workers : pieces, started = 1;
    struct hand *hands = mem_zeroed(count + 1, sizeof *hands);
    for (uint32_t i = 0; i < count; i++)
        hands[i] = (struct hand){.work = &work, .number = i};
    hands[0].work = &work;
    while (started < count &&
           pthread_create(&hands[started].thread, NULL, work_on, &hands[started]) == 0)
        started++;
    work_on(&hands[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(hands[i].thread, NULL);
    free(hands);
}

uint32_t jobs_cores(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}
