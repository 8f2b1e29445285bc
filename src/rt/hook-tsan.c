/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-tsan: annotations for ThreadSanitizer and for Valgrind's tools, which a program may
 * call on its own. What they say about order that no modelled call makes is taken in the safe
 * way: who has acquired at an address comes after all that was released there so far, in every
 * schedule. What is to be left alone is marked so. All else needs nothing: what they would
 * explain to another tool is seen here as it is. */
#include "heddle/annotate.h"
#include "rt/rt.h"

/* sanitizer/tsan_interface.h: of a lock */
enum { READ_LOCK = 1 << 3, TRY_LOCK_FAILED = 1 << 5 };

/* ---- what is said --------------------------------------------------------------------- */

static void mark(unsigned word, const volatile void *address, uint64_t bytes)
{
    __heddle_mark(word, address, bytes);
}

/* Who reads only waits for those who wrote. */
static thing_id thing_at(const volatile void *address, bool is_reader)
{
    return thing_of(THING_ANNOTATED, (uint64_t)(uintptr_t)address, is_reader);
}

static void released_as(const volatile void *address, bool is_reader)
{
    struct thr *t = self;
    if (!t)
        return;
    t->step++;
    thing_change(&(struct call){.thr = t, .site = __heddle_here}, thing_at(address, is_reader));
}

static void acquired_as(const volatile void *address, bool is_reader)
{
    struct thr *t = self;
    struct call c = {.thr = t, .site = __heddle_here};
    if (!t)
        return;
    t->step++;
    thing_sum(&c, thing_at(address, false));
    if (!is_reader)
        thing_sum(&c, thing_at(address, true));
}

static void released(const volatile void *address)
{
    released_as(address, false);
}

static void acquired(const volatile void *address)
{
    acquired_as(address, false);
}

/* Inside a lock of the target's own making. */
static void ignore(bool begin)
{
    mark(begin ? WORD_VALUE(MARK, IGNORE_BEGIN) : WORD_VALUE(MARK, IGNORE_END), NULL, 0);
}

static void ignore_reads(bool begin)
{
    mark(begin ? WORD_VALUE(MARK, READS_BEGIN) : WORD_VALUE(MARK, READS_END), NULL, 0);
}

static void ignore_writes(bool begin)
{
    mark(begin ? WORD_VALUE(MARK, WRITES_BEGIN) : WORD_VALUE(MARK, WRITES_END), NULL, 0);
}

static void benign(const volatile void *address, uint64_t bytes)
{
    mark(WORD_VALUE(MARK, BENIGN), address, bytes);
}

#define SAYS(name, parameters, what) \
    void name parameters;            \
    EXPORT void name parameters      \
    {                                \
        what;                        \
    }

#define NOTED(name, parameters) SAYS(name, parameters, )

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

SAYS(__tsan_acquire, (OBJECT), acquired(object))
SAYS(__tsan_release, (OBJECT), released(object))
NOTED(__tsan_mutex_create, (OBJECT, FLAGS))
NOTED(__tsan_mutex_destroy, (OBJECT, FLAGS))
SAYS(__tsan_mutex_pre_lock, (OBJECT, FLAGS), ignore(true))
/* Who tried in vain has heard nothing. */
void __tsan_mutex_post_lock(OBJECT, unsigned flags, UNUSED int depth);
EXPORT void __tsan_mutex_post_lock(OBJECT, unsigned flags, UNUSED int depth)
{
    if (!(flags & TRY_LOCK_FAILED))
        acquired_as(object, flags & READ_LOCK);
    ignore(false);
}

int __tsan_mutex_pre_unlock(OBJECT, unsigned flags);
EXPORT int __tsan_mutex_pre_unlock(OBJECT, unsigned flags)
{
    ignore(true);
    released_as(object, flags & READ_LOCK);
    return 0;
}

SAYS(__tsan_mutex_post_unlock, (OBJECT, FLAGS), ignore(false))
SAYS(__tsan_mutex_pre_signal, (OBJECT, FLAGS), ignore(true))
SAYS(__tsan_mutex_post_signal, (OBJECT, FLAGS), ignore(false))
SAYS(__tsan_mutex_pre_divert, (OBJECT, FLAGS), ignore(false))
SAYS(__tsan_mutex_post_divert, (OBJECT, FLAGS), ignore(true))
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

SAYS(AnnotateHappensBefore, (PLACE, ADDRESS), released(address))
SAYS(AnnotateHappensAfter, (PLACE, ADDRESS), acquired(address))
SAYS(AnnotateCondVarSignal, (PLACE, ADDRESS), released(address))
SAYS(AnnotateCondVarSignalAll, (PLACE, ADDRESS), released(address))
SAYS(AnnotateCondVarWait, (PLACE, ADDRESS, UNUSED const volatile void *lock), acquired(address))
NOTED(AnnotateRWLockCreate, (PLACE, ADDRESS))
NOTED(AnnotateRWLockCreateStatic, (PLACE, ADDRESS))
NOTED(AnnotateRWLockDestroy, (PLACE, ADDRESS))
SAYS(AnnotateRWLockAcquired, (PLACE, ADDRESS, long is_write), acquired_as(address, !is_write))
SAYS(AnnotateRWLockReleased, (PLACE, ADDRESS, long is_write), released_as(address, !is_write))
SAYS(AnnotatePCQPut, (PLACE, ADDRESS), released(address))
SAYS(AnnotatePCQGet, (PLACE, ADDRESS), acquired(address))
NOTED(AnnotatePCQCreate, (PLACE, ADDRESS))
NOTED(AnnotatePCQDestroy, (PLACE, ADDRESS))
SAYS(AnnotateBenignRace, (PLACE, ADDRESS, UNUSED const char *text), benign(address, 1))
SAYS(AnnotateBenignRaceSized, (PLACE, ADDRESS, long bytes, UNUSED const char *text),
     benign(address, (uint64_t)bytes))
SAYS(WTFAnnotateBenignRaceSized, (PLACE, ADDRESS, long bytes, UNUSED const char *text),
     benign(address, (uint64_t)bytes))
NOTED(AnnotateExpectRace, (PLACE, ADDRESS, UNUSED const char *text))
NOTED(AnnotateNewMemory, (PLACE, ADDRESS, UNUSED long bytes))
NOTED(AnnotatePublishMemoryRange, (PLACE, ADDRESS, UNUSED long bytes))
NOTED(AnnotateUnpublishMemoryRange, (PLACE, ADDRESS, UNUSED long bytes))
NOTED(AnnotateMutexIsUsedAsCondVar, (PLACE, ADDRESS))
NOTED(AnnotateMutexIsNotPHB, (PLACE, ADDRESS))
NOTED(AnnotateTraceMemory, (PLACE, ADDRESS))
NOTED(AnnotateNoOp, (PLACE, ADDRESS))
SAYS(AnnotateIgnoreReadsBegin, (PLACE), ignore_reads(true))
SAYS(AnnotateIgnoreReadsEnd, (PLACE), ignore_reads(false))
SAYS(AnnotateIgnoreWritesBegin, (PLACE), ignore_writes(true))
SAYS(AnnotateIgnoreWritesEnd, (PLACE), ignore_writes(false))
NOTED(AnnotateIgnoreSyncBegin, (PLACE))
NOTED(AnnotateIgnoreSyncEnd, (PLACE))
SAYS(AnnotateEnableRaceDetection, (PLACE, int on), ignore(!on))
NOTED(AnnotateThreadName, (PLACE, UNUSED const char *name))
NOTED(AnnotateFlushState, (PLACE))

/* ---- requests to Helgrind and DRD ---------------------------------------------------- */

#define TOOL(a, b) ((uint64_t)(a) << 24 | (uint64_t)(b) << 16)

enum {
    UNLOCK_PRE = 5,
    LOCK_POST = 8,
    RWLOCK_ACQUIRED = 17,
    RWLOCK_RELEASED,
    SEM_RELEASED = 22,
    SEM_ACQUIRED,
    SEND = 33,
    RECEIVE,
    UNTRACKED = 39,
};

/* Of helgrind.h, behind those that are for everybody; drd.h has the same. */
static void request_helgrind(uint64_t what, const volatile void *address, uint64_t second)
{
    switch (what) {
    case LOCK_POST:
    case SEM_ACQUIRED:
    case RECEIVE:
        acquired(address);
        break;
    case UNLOCK_PRE:
    case SEM_RELEASED:
    case SEND:
        released(address);
        break;
    case RWLOCK_ACQUIRED:
        acquired_as(address, !second);
        break;
    case RWLOCK_RELEASED: /* Helgrind does not say how it was held */
        released(address);
        break;
    case UNTRACKED:
        benign(address, second);
        break;
    default:
        break;
    }
}

enum {
    START_SUPPRESSION = 2,
    RECORD_LOADS = 6,
    RECORD_STORES,
    SEM_WAIT_POST = 13,
    SEM_POST_PRE
};

static void request_drd(uint64_t what, const volatile void *address, uint64_t second)
{
    switch (what) {
    case START_SUPPRESSION:
        benign(address, second);
        break;
    case RECORD_LOADS:
        ignore_reads(!address);
        break;
    case RECORD_STORES:
        ignore_writes(!address);
        break;
    case SEM_WAIT_POST:
        acquired(address);
        break;
    case SEM_POST_PRE:
        released(address);
        break;
    default:
        break;
    }
}

EXPORT uint64_t __heddle_request(const uint64_t *args, uint64_t answer)
{
    enum { NOT_FOR_ALL = 256 };
    if (!args)
        return answer;
    const volatile void *address = (const volatile void *)(uintptr_t)args[1];
    uint64_t tool = args[0] & ~0xffffULL, what = args[0] & 0xffff;
    if (tool == TOOL('H', 'G') && what >= NOT_FOR_ALL)
        request_helgrind(what - NOT_FOR_ALL, address, args[2]);
    else if (tool == TOOL('D', 'R'))
        request_drd(what, address, args[2]);
    return answer;
}
