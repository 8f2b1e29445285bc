/* SPDX-License-Identifier: Apache-2.0
 *
 * watch: see watch.h. Build systems write a program in several steps, and remove it in between:
 * it counts as new once it is there and has stayed the same for a moment. */
#include "cmd/watch.h"

#include "base/self.h"
#include "cmd/cmd.h"
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LOOK_MS = 200, CALM_LOOKS = 2 };

struct seen {
    struct timespec changed;
    off_t bytes;
    ino_t number;
    bool is_there;
};

static struct seen look(const char *path)
{
    struct stat s;
    if (stat(path, &s) < 0)
        return (struct seen){.is_there = false};
    return (struct seen){
        .changed = s.st_mtim, .bytes = s.st_size, .number = s.st_ino, .is_there = true};
}

static bool is_same(const struct seen *a, const struct seen *b)
{
    return a->is_there == b->is_there && a->bytes == b->bytes && a->number == b->number &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* False: a signal came. */
static bool wait_for_change(char *const *files, uint32_t count, struct seen *seen)
{
    uint32_t calm = 0;
    bool has_changed = false;
    while (!run_signal() && !(has_changed && calm >= CALM_LOOKS)) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
        bool is_calm = true;
        for (uint32_t i = 0; i < count; i++) {
            struct seen now = look(files[i]);
            is_calm &= now.is_there && is_same(&now, &seen[i]);
            has_changed |= !is_same(&now, &seen[i]);
            seen[i] = now;
        }
        calm = is_calm ? calm + 1 : 0;
    }
    return !run_signal();
}

int watch(char *const *words, char *const *files, uint32_t file_count)
{
    struct seen *seen = mem_zeroed(file_count + 1, sizeof *seen);
    struct err err;
    int code;
    do {
        for (uint32_t i = 0; i < file_count; i++)
            seen[i] = look(files[i]);
        code = self_run(words, NULL, NULL, &err);
        if (code < 0)
            code = cmd_fail(EXIT_WORLD, &err);
        if (!run_signal())
            cmd_note("watching %s; Ctrl-C ends it", files[0]);
    } while (!run_signal() && wait_for_change(files, file_count, seen));
    free(seen);
    return code;
}
