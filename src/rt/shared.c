/* SPDX-License-Identifier: Apache-2.0
 *
 * shared: sync objects that other processes may use too. What they are is in the target's own
 * memory, where every process of the family sees it: for semaphores their value (hook-sem.c),
 * for a mutex the mark that it is held, for the others fields that the system would use. Only
 * the waiting is ours: who finds that another process has it waits as for the world. Where
 * children are not followed, a lock that a child shares is one for each of us: the run says
 * so, and who waits for one may wait for the child, which is no deadlock. Memory that they
 * share is named: each process is looked at for itself. */
#include "rt/rt.h"

static void say(void)
{
    bool says = rt.has_children && rt.has_shared_locks && !rt.set.children;
    if (says && !rt.said_shared)
        outcome_doubt(DOUBT_UNMODELLED_CALL, "locks that processes share");
    rt.said_shared |= says;
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

/* Does what other processes do to it count? */
bool shared_counts(const struct obj *o)
{
    return o->is_shared && rt.set.children;
}

/* Until the test holds. False: the time is up. */
bool shared_await(struct thr *t, bool (*test)(struct thr *), const void *what, const char *word,
                  uint64_t deadline)
{
    for (;;) {
        t->wait_what = what;
        if (!sched_goes_outside(t, !rt.input.exact && !test(t)))
            return true;
        if (sched_block_test(t, test, what, word, deadline) == WAKE_TIMEOUT)
            return false;
    }
}

/* Do only others of the family end this wait? */
bool shared_awaited(const struct thr *t)
{
    return t->wait_word &&
           __builtin_strncmp(t->wait_word, SHARED_WORD, sizeof SHARED_WORD - 1) == 0;
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
    for (uint32_t i = 0; rt.has_children && !rt.set.children && i < rt.thread_count; i++) {
        const struct thr *t = &rt.threads[i];
        if (t->state == THR_BLOCKED && t->wait_obj && t->wait_obj->is_shared)
            outcome_unsupported("waiting for what another process holds");
    }
}
