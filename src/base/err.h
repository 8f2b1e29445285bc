/* SPDX-License-Identifier: Apache-2.0
 *
 * err: one message for one failure of the world (bad file, no disk).
 * The function that meets the failure sets the text; callers put their context in front of
 * it; only cmd/ prints it. Every setter returns -1, so that `return err_set(...)` reads well.
 * */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdio.h>
#include <stdlib.h>

struct err {
    char text[512];
};

int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends ": " and the text of errno. */
int err_sys(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts context before what is already there. */
int err_in(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A broken invariant of ours: says where and aborts, in release builds too. */
#define CHECK(cond)                                  \
    do {                                             \
        if (__builtin_expect(!(cond), 0))            \
            check_failed(__FILE__, __LINE__, #cond); \
    } while (0)

/* For walks over everything, which a release leaves out: CHECK_ALL(model_check(m)). */
#ifdef HEDDLE_CHECKS
#define CHECK_ALL(call) call
#else
#define CHECK_ALL(call) (void)0
#endif

_Noreturn void check_failed(const char *file, int line, const char *cond);

#endif
