/* SPDX-License-Identifier: Apache-2.0
 * Ways to say the same, selected by SAY: functions for ThreadSanitizer, dynamic annotations,
 * Valgrind's inline sequence. */
#if SAY == 0
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define HAPPENS_BEFORE(x) __tsan_release((void *)(x))
#define HAPPENS_AFTER(x) __tsan_acquire((void *)(x))
#endif
void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long is_w);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long is_w);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address,
                             long size, const char *text);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#if SAY == 1
#define HAPPENS_BEFORE(x) AnnotateHappensBefore(__FILE__, __LINE__, x)
#define HAPPENS_AFTER(x) AnnotateHappensAfter(__FILE__, __LINE__, x)
#define LOCKED(x, is_w) AnnotateRWLockAcquired(__FILE__, __LINE__, x, is_w)
#define UNLOCKED(x, is_w) AnnotateRWLockReleased(__FILE__, __LINE__, x, is_w)
#define BENIGN(x) AnnotateBenignRaceSized(__FILE__, __LINE__, &(x), sizeof(x), "")
#define QUIET_READS(on) ((on) ? AnnotateIgnoreReadsBegin("", 0) : AnnotateIgnoreReadsEnd("", 0))
#define QUIET_WRITES(on) \
    ((on) ? AnnotateIgnoreWritesBegin("", 0) : AnnotateIgnoreWritesEnd("", 0))
#else
static unsigned long request(unsigned long what, const volatile void *first,
                             unsigned long second)
{
    volatile unsigned long args[6] = {what, (unsigned long)first, second, 0, 0, 0};
    volatile unsigned long answer;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(answer)
                     : "a"(&args[0]), "0"(0L)
                     : "cc", "memory");
    return answer;
}
#define HELGRIND(n) (((unsigned long)'H' << 24 | (unsigned long)'G' << 16) + 256 + (n))
#define DRD(n) (((unsigned long)'D' << 24 | (unsigned long)'R' << 16) + (n))
#ifndef HAPPENS_BEFORE
#define HAPPENS_BEFORE(x) request(HELGRIND(33), x, 0)
#define HAPPENS_AFTER(x) request(HELGRIND(34), x, 0)
#endif
#define LOCKED(x, is_w) request(HELGRIND(17), x, is_w)
#define UNLOCKED(x, is_w) request(HELGRIND(18), x, is_w)
#define BENIGN(x) request(SAY == 0 ? HELGRIND(39) : DRD(2), &(x), sizeof(x))
#define QUIET_READS(on) request(DRD(6), (void *)!(on), 0)
#define QUIET_WRITES(on) request(DRD(7), (void *)!(on), 0)
#endif
