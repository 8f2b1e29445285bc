/* SPDX-License-Identifier: Apache-2.0
 *
 * results: see results.h. */
#include "cmd/results.h"

#include "base/arena.h"

#include <glob.h>
#include <sys/stat.h>

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec >= b->tv_nsec;
}

static int find_newest(struct str *out, const char *file, struct err *err)
{
    AUTO(str) struct str pattern = {0};
    glob_t found;
    struct stat st;
    struct timespec best = {0};
    str_add(&pattern, "*.heddle/%s", file);
    if (glob(pattern.at, 0, NULL, &found) != 0)
        return err_set(err, "no %s in this directory: run heddle check first",
                       strchr(file, '/') ? "recorded run" : "findings");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (stat(found.gl_pathv[i], &st) < 0 || !is_newer(&st.st_mtim, &best))
            continue;
        best = st.st_mtim;
        out->len = 0;
        str_add(out, "%s", found.gl_pathv[i]);
    }
    globfree(&found);
    return 0;
}

int results_find(struct str *out, const char *dir, const char *file, struct err *err)
{
    if (!dir)
        return find_newest(out, file, err);
    str_add(out, "%s/%s", dir, file);
    return 0;
}
