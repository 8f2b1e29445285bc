/* SPDX-License-Identifier: Apache-2.0
 *
 * family: a run whose program is not ours (ctest, make, a shell) but starts some that are. All
 * of them find the same settings in their environment; each claims a directory of its own below
 * that of the run, and writes there how it was called. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>

enum { CHILDREN_MAX = 100000 };

static void put(int fd, uint16_t tag, const char *text)
{
    struct log_record r = {.tag = tag};
    log_put(fd, &r, text, (uint32_t)__builtin_strlen(text));
}

static int write_command(char **argv, char **envp)
{
    char path[PATH_BYTES + 32], here[4096];
    struct text text = {path, 0, sizeof path};
    struct log_head head = {LOG_MAGIC, TRACE_VERSION, LOG_COMMAND};
    text_put(&text, rt.set.dir);
    text_put(&text, "/command");
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    sys_write(fd, &head, sizeof head);
    for (; *argv; argv++)
        put(fd, TAG_ARGUMENT, *argv);
    if (sys_call(SYS_getcwd, (long)here, sizeof here, 0, 0, 0, 0) > 0)
        put(fd, TAG_DIRECTORY, here);
    for (; *envp; envp++)
        if (__builtin_strncmp(*envp, "HEDDLE_RT=", 10) != 0)
            put(fd, TAG_ENVIRONMENT, *envp);
    sys_close(fd);
    return 0;
}

/* The first directory that nobody else has made. */
int family_join(char **argv, char **envp)
{
    char path[PATH_BYTES];
    for (uint64_t n = 1; n <= CHILDREN_MAX; n++) {
        struct text text = {path, 0, sizeof path};
        text_put(&text, rt.set.dir);
        text_put(&text, "/child-");
        text_number(&text, n);
        long e = sys_call(SYS_mkdir, (long)path, 0777, 0, 0, 0, 0);
        if (e == -EEXIST)
            continue;
        if (e < 0)
            return -1;
        __builtin_memcpy(rt.set.dir, path, sizeof path);
        return write_command(argv, envp);
    }
    return -1;
}
