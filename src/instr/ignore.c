/* SPDX-License-Identifier: Apache-2.0
 *
 * ignore: what the user does not want instrumented. One glob per line: src:GLOB or GLOB is for
 * source files, fun:GLOB for functions. # begins a comment. */
#include "instr/cc.h"

#include <fnmatch.h>
#include <limits.h>
#include <string.h>

bool ignore_has(const struct bytes *list, const char *kind, const char *name)
{
    char glob[PATH_MAX];
    const char *at = (const char *)list->at, *end = at + list->len;
    size_t kind_len = strlen(kind);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = stop ? (size_t)(stop - at) : (size_t)(end - at);
        snprintf(glob, sizeof glob, "%.*s", (int)len, at);
        at += len + 1;
        bool has_kind = strncmp(glob, "src:", 4) == 0 || strncmp(glob, "fun:", 4) == 0;
        const char *wanted = has_kind ? glob : "src:";
        if (glob[0] && glob[0] != '#' && strncmp(wanted, kind, kind_len) == 0 &&
            fnmatch(has_kind ? glob + 4 : glob, name, 0) == 0)
            return true;
    }
    return false;
}
