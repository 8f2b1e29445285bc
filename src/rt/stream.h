/* SPDX-License-Identifier: Apache-2.0
 *
 * stream: functions of libc that take a stream's lock, all in one shape: the modelled lock is
 * held around libc's own function, which then never waits for its own. */
#ifndef RT_STREAM_H
#define RT_STREAM_H

#include "rt/rt.h"
#include "rt/real.h"

#include <stdarg.h>

void stream_wait(struct thr *t, FILE *f); /* until nobody else holds it */
bool stream_enter(struct thr *t, FILE *f);
void stream_leave(struct thr *t, FILE *f, bool held);
void stream_printed(struct thr *t, FILE *f, int64_t len, struct __heddle_site *site);
void stream_filled(struct thr *t, const void *p, uint64_t len, struct __heddle_site *site);

/* What is called with the lock in hand may be more than libc's function. */
#define WITH_STREAM(call, type, name, parameters, arguments, stream, before, after) \
    EXPORT type name parameters                                                     \
    {                                                                               \
        struct thr *t = self;                                                       \
        if (!t)                                                                     \
            return real.name arguments;                                             \
        struct __heddle_site *site = __heddle_here;                                 \
        bool held = stream_enter(t, stream);                                        \
        before;                                                                     \
        type n = call;                                                              \
        stream_leave(t, stream, held);                                              \
        after;                                                                      \
        return n;                                                                   \
    }

#define PRINTS(type, name, parameters, arguments, stream, length)                        \
    WITH_STREAM(real.name arguments, type, name, parameters, arguments, stream, (void)0, \
                stream_printed(t, stream, length, site))
#define READS_BY(call, type, name, parameters, arguments, stream, into, length)    \
    WITH_STREAM(call, type, name, parameters, arguments, stream, t->learnt = true, \
                stream_filled(t, into, length, site))

#define READS(type, name, parameters, arguments, stream, into, length) \
    READS_BY(real.name arguments, type, name, parameters, arguments, stream, into, length)

#define FORMATTED(name, parameters, last, call) \
    int name parameters;                        \
    EXPORT int name parameters                  \
    {                                           \
        va_list list;                           \
        va_start(list, last);                   \
        int n = call;                           \
        va_end(list);                           \
        return n;                               \
    }

#define FORMATTED_V(name, parameters, call) \
    int name parameters;                    \
    EXPORT int name parameters              \
    {                                       \
        return call;                        \
    }

#endif
