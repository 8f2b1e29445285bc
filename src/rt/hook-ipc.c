/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-ipc: message queues and semaphores of System V, and POSIX message queues. The first two
 * have no descriptor that could be waited for: whoever waits tries again and again, and the
 * attempt that succeeds is the call. Word goes through all of them from thread to thread: the
 * calls about one keep their order. POSIX has several descriptors for one queue, so all its
 * queues count as one. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>
#include <mqueue.h>
#include <stdarg.h>

/* One call that is made without waiting until it succeeds. */
struct attempt {
    long (*make)(const struct attempt *a);
    int id, flags;
    void *at;
    size_t len;
    long type, result;
    int refusal; /* the error that says that it would wait */
    int error;
    uint64_t deadline; /* 0: none */
    bool is_made;
};

static bool try(struct thr *t)
{
    struct attempt *a = (struct attempt *)(uintptr_t)t->wait_what;
    if (a->is_made)
        return true;
    a->result = a->make(a);
    a->error = errno;
    return a->is_made = a->result >= 0 || a->error != a->refusal;
}

/* 0, or why it was given up: a handler ended it, or time did. */
static int await(struct thr *t, struct attempt *a, bool live)
{
    uint64_t deadline = a->deadline ? a->deadline : NEVER;
    for (;;) {
        t->wait_what = a;
        if (!sched_goes_outside(t, live && !try(t)))
            return 0;
        enum wake_how how = sched_block_test(t, try, a, "another process", deadline);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && !a->is_made)
            return EINTR;
        if (how == WAKE_TIMEOUT && !a->is_made && live)
            return EAGAIN;
    }
}

/* Another process may be at its other end. */
static void told(const struct call *c, uint64_t which, uint64_t kind)
{
    thing_update(c, thing_of(THING_QUEUE, which, kind));
    outside_heard(c);
    outside_told(c);
}

static struct call attempt_call(struct thr *t, const char *name, struct attempt *a)
{
    struct call c = call_begin(t, name);
    bool live = call_live(&c), waits = !(a->flags & IPC_NOWAIT);
    int given_up = waits ? await(t, a, live) : 0;
    t->wait_what = a;
    if (live && !waits)
        try(t);
    if (live) {
        c.result = given_up ? -1 : a->result;
        c.error = given_up ? given_up : a->error;
    }
    told(&c, (uint64_t)a->id, __builtin_strncmp(name, "msg", 3) == 0);
    return c;
}

static long make_receive(const struct attempt *a)
{
    return real.msgrcv(a->id, a->at, a->len, a->type, a->flags | IPC_NOWAIT);
}

EXPORT ssize_t msgrcv(int id, void *out, size_t len, long type, int flags)
{
    if (!self)
        return real.msgrcv(id, out, len, type, flags);
    struct attempt a = {.make = make_receive,
                        .id = id,
                        .flags = flags,
                        .at = out,
                        .len = len,
                        .type = type,
                        .refusal = ENOMSG};
    struct call c = attempt_call(self, "msgrcv", &a);
    call_fills(&c, out, c.result >= 0 ? c.result + (int64_t)sizeof(long) : 0);
    return call_end(&c);
}

static long make_send(const struct attempt *a)
{
    return real.msgsnd(a->id, a->at, a->len, a->flags | IPC_NOWAIT);
}

EXPORT int msgsnd(int id, const void *message, size_t len, int flags)
{
    if (!self)
        return real.msgsnd(id, message, len, flags);
    struct attempt a = {.make = make_send,
                        .id = id,
                        .flags = flags,
                        .at = (void *)(uintptr_t)message,
                        .len = len,
                        .refusal = EAGAIN};
    struct call c = attempt_call(self, "msgsnd", &a);
    return (int)call_end(&c);
}

/* All operations of a call say whether they wait. */
static long make_operations(const struct attempt *a)
{
    enum { OPERATIONS_MAX = 500 }; /* as many as the kernel takes */
    struct sembuf copy[OPERATIONS_MAX];
    if (a->len > OPERATIONS_MAX) {
        errno = E2BIG;
        return -1;
    }
    __builtin_memcpy(copy, a->at, a->len * sizeof *copy);
    for (size_t i = 0; i < a->len; i++)
        copy[i].sem_flg |= IPC_NOWAIT;
    return real.semop(a->id, copy, a->len);
}

static int operate(int id, struct sembuf *operations, size_t count, uint64_t deadline)
{
    struct attempt a = {.make = make_operations,
                        .id = id,
                        .at = operations,
                        .len = count,
                        .refusal = EAGAIN,
                        .deadline = deadline};
    for (size_t i = 0; i < count; i++)
        a.flags |= operations[i].sem_flg & IPC_NOWAIT;
    struct call c = attempt_call(self, "semop", &a);
    return (int)call_end(&c);
}

EXPORT int semop(int id, struct sembuf *operations, size_t count)
{
    return self ? operate(id, operations, count, 0) : real.semop(id, operations, count);
}

EXPORT int semtimedop(int id, struct sembuf *operations, size_t count,
                      const struct timespec *span)
{
    if (!self)
        return real.semtimedop(id, operations, count, span);
    if (span && !time_is_span(span)) {
        errno = EINVAL;
        return -1;
    }
    return operate(id, operations, count, span ? sched_now() + time_span_ns(span) : 0);
}

CALL(int, msgget, (key_t key, int flags), (key, flags), )
CALL(int, semget, (key_t key, int count, int flags), (key, count, flags), )

/* Fills in what the command says, if there is room for it. */
EXPORT int msgctl(int id, int command, struct msqid_ds *out)
{
    if (!self)
        return real.msgctl(id, command, out);
    struct call c = call_begin(self, "msgctl");
    if (call_live(&c))
        CALL_MADE(c, real.msgctl(id, command, out));
    told(&c, (uint64_t)id, true);
    bool fills = c.live && c.result >= 0 && command == IPC_STAT;
    call_fills(&c, out, fills ? (int64_t)sizeof *out : 0);
    return (int)call_end(&c);
}

EXPORT int semctl(int id, int number, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (!self)
        return real.semctl(id, number, command, arg);
    struct call c = call_begin(self, "semctl");
    if (call_live(&c))
        CALL_MADE(c, real.semctl(id, number, command, arg));
    told(&c, (uint64_t)id, false);
    bool fills = c.live && c.result >= 0 && command == IPC_STAT;
    call_fills(&c, arg, fills ? (int64_t)sizeof(struct semid_ds) : 0);
    return (int)call_end(&c);
}

/* ---- POSIX message queues: descriptors, as Linux has them ------------------------------- */

EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    struct mq_attr *attr = flags & O_CREAT ? va_arg(list, struct mq_attr *) : NULL;
    va_end(list);
    if (!self)
        return real.mq_open(name, flags, mode, attr);
    struct call c = call_begin(self, "mq_open");
    if (call_live(&c))
        CALL_MADE(c, real.mq_open(name, flags, mode, attr));
    descriptor_new(&c, c.result);
    return (mqd_t)call_end(&c);
}

EXPORT int mq_close(mqd_t queue)
{
    return close(queue);
}

CALL(int, mq_unlink, (const char *name), (name), )

EXPORT int mq_getattr(mqd_t queue, struct mq_attr *out)
{
    if (!self)
        return real.mq_getattr(queue, out);
    struct call c = call_begin(self, "mq_getattr");
    c.fd = queue;
    if (call_live(&c))
        CALL_MADE(c, real.mq_getattr(queue, out));
    told(&c, 0, 2);
    call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0);
    return (int)call_end(&c);
}

/* A deadline: NEVER waits as long as it takes. */
static ssize_t receive(const char *name, mqd_t queue, char *out, size_t len, unsigned *priority,
                       uint64_t deadline)
{
    struct call c = call_begin(self, name);
    if (io_begin_until(&c, queue, POLLIN, deadline))
        CALL_MADE(c, real.mq_receive(queue, out, len, priority));
    told(&c, 0, 2);
    call_fills(&c, out, c.result);
    call_fills(&c, priority, c.result >= 0 && priority ? (int64_t)sizeof *priority : 0);
    return call_end(&c);
}

EXPORT ssize_t mq_receive(mqd_t queue, char *out, size_t len, unsigned *priority)
{
    return self ? receive("mq_receive", queue, out, len, priority, NEVER)
                : real.mq_receive(queue, out, len, priority);
}

EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict out, size_t len,
                               unsigned *restrict priority,
                               const struct timespec *restrict when)
{
    return self ? receive("mq_timedreceive", queue, out, len, priority,
                          time_deadline(CLOCK_REALTIME, when))
                : real.mq_timedreceive(queue, out, len, priority, when);
}

static int transmit(const char *name, mqd_t queue, const char *message, size_t len,
                    unsigned priority, uint64_t deadline)
{
    struct call c = call_begin(self, name);
    if (io_begin_until(&c, queue, POLLOUT, deadline))
        CALL_MADE(c, real.mq_send(queue, message, len, priority));
    told(&c, 0, 2);
    return (int)call_end(&c);
}

EXPORT int mq_send(mqd_t queue, const char *message, size_t len, unsigned priority)
{
    return self ? transmit("mq_send", queue, message, len, priority, NEVER)
                : real.mq_send(queue, message, len, priority);
}

EXPORT int mq_timedsend(mqd_t queue, const char *message, size_t len, unsigned priority,
                        const struct timespec *when)
{
    return self ? transmit("mq_timedsend", queue, message, len, priority,
                           time_deadline(CLOCK_REALTIME, when))
                : real.mq_timedsend(queue, message, len, priority, when);
}
