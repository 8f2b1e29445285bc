/* SPDX-License-Identifier: Apache-2.0
 *
 * err: see err.h. Texts that do not fit are cut: a message is for one line of a terminal. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int err_set(struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return -1;
}

int err_sys(struct err *err, const char *format, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t len = strlen(err->text);
    snprintf(err->text + len, sizeof err->text - len, ": %s", strerror(saved));
    return -1;
}

int err_in(struct err *err, const char *format, ...)
{
    struct err old = *err;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t len = strlen(err->text);
    snprintf(err->text + len, sizeof err->text - len, ": %s", old.text);
    return -1;
}

void check_failed(const char *file, int line, const char *cond)
{
    fprintf(stderr, "heddle: internal error at %s:%d: %s does not hold\n", file, line, cond);
    abort();
}
