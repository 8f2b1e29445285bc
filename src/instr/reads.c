/* SPDX-License-Identifier: Apache-2.0
 *
 * reads: which files a unit was made of, and what was in them. clang lists the headers that it
 * opened; each of the user's is noted with a hash of its text, and so is the source. Who builds
 * a program with other contents of a file (build/) can then see in the program itself whether
 * those were compiled. Headers of the system are nobody's to patch and left out. */
#include "instr/cc.h"

#include "base/map.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_system(const char *path)
{
    static const char *const places[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
    for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strncmp(path, places[i], strlen(places[i])) == 0)
            return true;
    return false;
}

static bool is_noted(const instr_reads *list, const char *path)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].path, path) == 0)
            return true;
    return false;
}

/* One that cannot be read again (standard input, say) is not noted. */
static void note(instr_reads *out, struct arena *mem, const char *path)
{
    AUTO(bytes) struct bytes text = {0};
    struct err ignored;
    char full[PATH_MAX];
    if (!realpath(path, full) || is_of_system(full) || is_noted(out, full) ||
        bytes_read(&text, full, &ignored) < 0)
        return;
    vec_push(out, (struct instr_read){.path = arena_text(mem, full, strlen(full)),
                                      .hash = hash_bytes(text.at, text.len)});
}

void reads_find(instr_reads *out, struct arena *mem, const char *source, const char *headers)
{
    AUTO(bytes) struct bytes list = {0};
    struct err ignored;
    char path[PATH_MAX];
    note(out, mem, source);
    if (bytes_read(&list, headers, &ignored) < 0)
        return;
    const char *at = (const char *)list.at, *end = at + list.len;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((stop ? stop : end) - at);
        if (len > 0 && len < sizeof path) {
            memcpy(path, at, len);
            path[len] = 0;
            note(out, mem, path);
        }
        at += len + 1;
    }
}
