/* SPDX-License-Identifier: Apache-2.0
 *
 * store: where runs are kept: prog.heddle/runs/N, and which of them is the last. */
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int run_directory(struct str *out, const char *prog, uint32_t *number, struct err *err)
{
    const char *base = strrchr(prog, '/') ? strrchr(prog, '/') + 1 : prog;
    AUTO(str) struct str path = {0};
    str_add(&path, "%s.heddle", base);
    if (mkdir(path.at, 0777) < 0 && errno != EEXIST)
        return err_sys(err, "%s", path.at);
    str_add(&path, "/runs");
    if (mkdir(path.at, 0777) < 0 && errno != EEXIST)
        return err_sys(err, "%s", path.at);
    size_t len = path.len;
    for (uint32_t n = *number ? *number : 1; n < UINT32_MAX; n++) {
        path.len = len;
        str_add(&path, "/%u", n);
        if (mkdir(path.at, 0777) == 0) {
            *number = n;
            str_bytes(out, path.at, path.len);
            return 0;
        }
        if (errno != EEXIST)
            return err_sys(err, "%s", path.at);
    }
    return err_set(err, "%s: too many runs; heddle clean removes old ones", path.at);
}

int run_link_last(const char *directory, struct err *err)
{
    const char *name = strrchr(directory, '/');
    CHECK(name);
    AUTO(str) struct str link = {0};
    AUTO(str) struct str temp = {0};
    str_bytes(&link, directory, (size_t)(name - directory));
    str_add(&temp, "%s/.last-%d", link.at, (int)getpid());
    str_add(&link, "/last");
    unlink(temp.at);
    if (symlink(name + 1, temp.at) < 0 || rename(temp.at, link.at) < 0)
        return err_sys(err, "%s", link.at);
    return 0;
}

int run_make_directory(const char *path, struct err *err)
{
    return mkdir(path, 0777) < 0 ? err_sys(err, "%s", path) : 0;
}

/* A run's directory holds files only. */
void run_remove(const char *directory)
{
    DIR *d = opendir(directory);
    struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (entry->d_type != DT_DIR)
            unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        closedir(d);
    rmdir(directory);
}
