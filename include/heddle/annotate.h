/* SPDX-License-Identifier: Apache-2.0
 *
 * annotate: optional marks a user may put in the source. They cost nothing where the program is
 * not built with Heddle: the functions are weak and are not called then. */
#ifndef HEDDLE_ANNOTATE_H
#define HEDDLE_ANNOTATE_H

#ifdef __cplusplus
extern "C" {
#endif

void __heddle_mark(unsigned what, const volatile void *addr, unsigned long len)
    __attribute__((weak));

void __heddle_failed(const char *expression, const char *file, unsigned line,
                     const char *function) __attribute__((weak));

#define HEDDLE_MARK(what, addr, len) \
    (__heddle_mark ? __heddle_mark((what), (addr), (len)) : (void)0)

/* What lies between is meant to be atomic. */
#define HEDDLE_ATOMIC_BEGIN() HEDDLE_MARK(0, 0, 0)
#define HEDDLE_ATOMIC_END() HEDDLE_MARK(1, 0, 0)
/* Races on this variable are intended. */
#define HEDDLE_BENIGN(variable) HEDDLE_MARK(2, &(variable), sizeof(variable))
/* What this thread does between is not to be reported. */
#define HEDDLE_IGNORE_BEGIN() HEDDLE_MARK(3, 0, 0)
#define HEDDLE_IGNORE_END() HEDDLE_MARK(4, 0, 0)
/* Recording: on and off. */
#define HEDDLE_RECORD() HEDDLE_MARK(5, 0, 0)
#define HEDDLE_PAUSE() HEDDLE_MARK(6, 0, 0)

/* What must hold wherever it is reached, as an assertion that costs nothing elsewhere: a run in
 * which it does not hold ends as one in which an assertion failed. */
#define HEDDLE_EXPECT(condition)                                                   \
    ((condition)       ? (void)0                                                   \
     : __heddle_failed ? __heddle_failed(#condition, __FILE__, __LINE__, __func__) \
                       : (void)0)

#ifdef __cplusplus
}
#endif

#endif
