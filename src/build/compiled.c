/* SPDX-License-Identifier: Apache-2.0
 *
 * compiled: was a program made of these contents? It says so itself: each unit keeps the hashes
 * of the files that it was made of. A build that finds nothing to do, works in another
 * directory, or leaves one object as it was, is seen here. */
#include "build/ways.h"

#include "base/map.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_path(const struct build_read *r, const char *path)
{
    char full[PATH_MAX];
    return strcmp(r->path, realpath(path, full) ? full : path) == 0;
}

int build_check_compiled(const char *program, const struct build_overlay *file,
                         const char *compiled_as, struct err *err)
{
    AUTO(build_units) struct build_units u = {0};
    uint64_t hash = hash_bytes(file->text.at, file->text.len);
    bool is_read = false;
    if (build_units_read(&u, program, err) < 0)
        return -1;
    for (uint32_t i = 0; i < u.reads.len; i++) {
        const struct build_read *r = &u.reads.at[i];
        if (!is_path(r, file->path) && !is_path(r, compiled_as))
            continue;
        is_read = true;
        if (r->hash == hash)
            continue;
        err_set(err, "the build did not compile the patch: %s is made of another text of %s",
                u.units.at[r->unit].source, file->path);
        return 1;
    }
    if (is_read)
        return 0;
    err_set(err, "the build did not compile the patch: no unit of the program is made of %s",
            file->path);
    return 1;
}
