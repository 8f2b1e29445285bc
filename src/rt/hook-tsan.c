/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-tsan: annotations for ThreadSanitizer and for Valgrind's tools, which a program may
 * call on its own. What they say about order that no modelled call makes is taken in the safe
 * way: at an "acquired" everything that was done so far came before, in every schedule (a pin).
 * All else needs nothing: what they would explain to another tool is seen here as it is. */
#include "rt/rt.h"

static void acquired(void)
{
    struct thr *t = self;
    if (!t)
        return;
    struct call c = {.thr = t, .site = __heddle_here};
    t->step++;
    channel_pin(&c);
}

#define NOTED(name, parameters) \
    void name parameters;       \
    EXPORT void name parameters {}

#define ACQUIRES(name, parameters) \
    void name parameters;          \
    EXPORT void name parameters    \
    {                              \
        acquired();                \
    }

#define GIVES(type, name, parameters) \
    type name parameters;             \
    EXPORT type name parameters       \
    {                                 \
        return 0;                     \
    }

#define UNUSED __attribute__((unused))
#define OBJECT UNUSED void *object
#define FLAGS UNUSED unsigned flags
#define PLACE UNUSED const char *file, UNUSED int line
#define ADDRESS UNUSED const volatile void *address

/* ---- sanitizer/tsan_interface.h ------------------------------------------------------ */

ACQUIRES(__tsan_acquire, (OBJECT))
NOTED(__tsan_release, (OBJECT))
NOTED(__tsan_mutex_create, (OBJECT, FLAGS))
NOTED(__tsan_mutex_destroy, (OBJECT, FLAGS))
NOTED(__tsan_mutex_pre_lock, (OBJECT, FLAGS))
/* Who tried in vain has heard nothing. */
void __tsan_mutex_post_lock(OBJECT, unsigned flags, UNUSED int depth);
EXPORT void __tsan_mutex_post_lock(OBJECT, unsigned flags, UNUSED int depth)
{
    enum { TRY_LOCK_FAILED = 1 << 5 };
    if (!(flags & TRY_LOCK_FAILED))
        acquired();
}

GIVES(int, __tsan_mutex_pre_unlock, (OBJECT, FLAGS))
NOTED(__tsan_mutex_post_unlock, (OBJECT, FLAGS))
NOTED(__tsan_mutex_pre_signal, (OBJECT, FLAGS))
NOTED(__tsan_mutex_post_signal, (OBJECT, FLAGS))
NOTED(__tsan_mutex_pre_divert, (OBJECT, FLAGS))
NOTED(__tsan_mutex_post_divert, (OBJECT, FLAGS))
GIVES(void *, __tsan_external_register_tag, (OBJECT))
NOTED(__tsan_external_register_header, (OBJECT, UNUSED const char *text))
NOTED(__tsan_external_assign_tag, (OBJECT, UNUSED void *tag))
NOTED(__tsan_external_read, (OBJECT, UNUSED void *caller, UNUSED void *tag))
NOTED(__tsan_external_write, (OBJECT, UNUSED void *caller, UNUSED void *tag))
GIVES(void *, __tsan_get_current_fiber, (void))
GIVES(void *, __tsan_create_fiber, (FLAGS))
NOTED(__tsan_destroy_fiber, (OBJECT))
NOTED(__tsan_switch_to_fiber, (OBJECT, FLAGS))
NOTED(__tsan_set_fiber_name, (OBJECT, UNUSED const char *name))
NOTED(__tsan_flush_memory, (void))

/* ---- dynamic annotations ------------------------------------------------------------- */

NOTED(AnnotateHappensBefore, (PLACE, ADDRESS))
ACQUIRES(AnnotateHappensAfter, (PLACE, ADDRESS))
NOTED(AnnotateCondVarSignal, (PLACE, ADDRESS))
NOTED(AnnotateCondVarSignalAll, (PLACE, ADDRESS))
ACQUIRES(AnnotateCondVarWait, (PLACE, ADDRESS, UNUSED const volatile void *lock))
NOTED(AnnotateRWLockCreate, (PLACE, ADDRESS))
NOTED(AnnotateRWLockCreateStatic, (PLACE, ADDRESS))
NOTED(AnnotateRWLockDestroy, (PLACE, ADDRESS))
ACQUIRES(AnnotateRWLockAcquired, (PLACE, ADDRESS, UNUSED long is_write))
NOTED(AnnotateRWLockReleased, (PLACE, ADDRESS, UNUSED long is_write))
NOTED(AnnotateBenignRace, (PLACE, ADDRESS, UNUSED const char *text))
NOTED(AnnotateBenignRaceSized, (PLACE, ADDRESS, UNUSED long bytes, UNUSED const char *text))
NOTED(AnnotateNewMemory, (PLACE, ADDRESS, UNUSED long bytes))
NOTED(AnnotatePublishMemoryRange, (PLACE, ADDRESS, UNUSED long bytes))
NOTED(AnnotateUnpublishMemoryRange, (PLACE, ADDRESS, UNUSED long bytes))
NOTED(AnnotateIgnoreReadsBegin, (PLACE))
NOTED(AnnotateIgnoreReadsEnd, (PLACE))
NOTED(AnnotateIgnoreWritesBegin, (PLACE))
NOTED(AnnotateIgnoreWritesEnd, (PLACE))
NOTED(AnnotateIgnoreSyncBegin, (PLACE))
NOTED(AnnotateIgnoreSyncEnd, (PLACE))
NOTED(AnnotateEnableRaceDetection, (PLACE, UNUSED int on))
NOTED(AnnotateThreadName, (PLACE, UNUSED const char *name))
NOTED(AnnotateFlushState, (PLACE))
