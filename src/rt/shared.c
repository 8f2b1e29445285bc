/* SPDX-License-Identifier: Apache-2.0
 *
 * shared: sync objects that other processes may use too. For semaphores that is modelled
 * (hook-sem.c). A lock that a child shares with us is one for each of us, as it is modelled
 * here: the run says so, and who waits for one may wait for the child, which is no deadlock.
 * Memory that they share is named: each process is looked at for itself. */
#include "rt/rt.h"

static void say(void)
{
    if (rt.has_children && rt.has_shared_locks && !rt.said_shared)
        outcome_doubt(DOUBT_UNMODELLED_CALL, "locks that processes share");
    rt.said_shared |= rt.has_children && rt.has_shared_locks;
    if (rt.has_children && rt.has_shared_memory && !rt.said_shared_memory)
        outcome_doubt(DOUBT_SHARED_MEMORY, "memory that processes share");
    rt.said_shared_memory |= rt.has_children && rt.has_shared_memory;
}

/* Writable, and children will have it too. */
void shared_memory(void)
{
    rt.has_shared_memory = true;
    say();
}

void shared_lock(struct obj *o, bool is_shared)
{
    o->is_shared = is_shared;
    rt.has_shared_locks |= is_shared;
    say();
}

/* A process comes that may know what we know. */
void shared_with_child(void)
{
    channel_shared();
    rt.has_children = true;
    say();
}

/* Nobody can run; but would another process change that? */
void shared_ends_stuck(void)
{
    for (uint32_t i = 0; rt.has_children && i < rt.thread_count; i++) {
        const struct thr *t = &rt.threads[i];
        if (t->state == THR_BLOCKED && t->wait_obj && t->wait_obj->is_shared)
            outcome_unsupported("waiting for what another process holds");
    }
}
