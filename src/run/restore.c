/* SPDX-License-Identifier: Apache-2.0
 *
 * restore: worlds as they were before a run that was recorded in the real one. `heddle run`
 * keeps what it does, and the runtime kept what there was at each path that it changed
 * (rt/past.c). Undone from the last change to the first, inside a world, that is the state in
 * which the run began; outside nothing is touched. */
#include "run/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one change ------------------------------------------------------------------------- */

/* Where a path is, for who works in a copy of a directory. */
struct view {
    const char *from, *to; /* from NULL: in a world of its own, where it always is */
};

static bool is_in(const char *path, const char *directory)
{
    size_t len = strlen(directory);
    return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == 0);
}

/* False: it is not in the copy. */
static bool place(struct str *out, const struct view *v, const char *path)
{
    out->len = 0;
    if (!v->from)
        str_add(out, "%s", path);
    else if (is_in(path, v->from))
        str_add(out, "%s%s", v->to, path + strlen(v->from));
    return out->len > 0;
}

static int put_file(const char *before, const struct log_record *r, const char *to)
{
    AUTO(str) struct str from = {0};
    str_add(&from, "%s/%u", before, r->thr);
    run_remove_tree(to);
    if (mirror_file(from.at, to) < 0)
        return -1;
    return chmod(to, (mode_t)r->result & 07777);
}

static int put_directory(const struct log_record *r, const char *to)
{
    struct stat st;
    if (lstat(to, &st) < 0 || !S_ISDIR(st.st_mode)) {
        run_remove_tree(to);
        if (mkdir(to, 0700) < 0)
            return -1;
    }
    return chmod(to, (mode_t)r->result & 07777);
}

/* An overlay may refuse to rename a directory that it only shows. */
static int rename_back(const char *from, const char *to)
{
    struct stat st;
    struct err ignored;
    if (lstat(from, &st) < 0 || lstat(to, &st) == 0)
        return 0; /* it was not renamed after all */
    if (rename(from, to) == 0)
        return 0;
    if (errno != EXDEV || run_copy_tree(from, to, &ignored) < 0)
        return -1;
    run_remove_tree(from);
    return 0;
}

static int undo(const char *before, const struct view *v, const struct log_entry *e)
{
    AUTO(str) struct str to = {0}, other = {0};
    const char *path = (const char *)e->data, *more = path + strlen(path) + 1;
    if (!place(&to, v, path))
        return 0;
    switch ((enum log_before)e->head.ordinal) {
    case BEFORE_ABSENT:
        run_remove_tree(to.at);
        return access(to.at, F_OK) == 0 ? -1 : 0;
    case BEFORE_FILE:
        return put_file(before, &e->head, to.at);
    case BEFORE_DIRECTORY:
        return put_directory(&e->head, to.at);
    case BEFORE_LINK:
        run_remove_tree(to.at);
        return symlink(more, to.at);
    case BEFORE_NODE:
        run_remove_tree(to.at);
        return mknod(to.at, (mode_t)e->head.result, 0);
    case BEFORE_RENAMED:
        return place(&other, v, more) ? rename_back(other.at, to.at) : 0;
    case BEFORE_LOST:
        return 0; /* said of every run: before_doubts */
    }
    return 0;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* Input is doubted here. */
static bool is_whole(const struct log_entry *e)
{
    const char *text = (const char *)e->data, *end = text + e->head.bytes;
    bool has_two = e->head.ordinal == BEFORE_LINK || e->head.ordinal == BEFORE_RENAMED;
    const char *zero = e->head.bytes ? memchr(text, 0, e->head.bytes) : NULL;
    if (!zero || text[0] != '/' || e->head.ordinal > BEFORE_LOST)
        return false;
    return !has_two || (zero + 1 < end && memchr(zero + 1, 0, (size_t)(end - zero - 1)));
}

static int read_log(struct runfile *out, const char *before, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/log", before);
    if (runfile_open(out, path.at, err) < 0)
        return -1;
    bool is_right = out->head.kind == LOG_BEFORE;
    for (uint32_t i = 0; is_right && i < out->entries.len; i++)
        is_right = is_whole(&out->entries.at[i]);
    if (is_right)
        return 0;
    runfile_close(out);
    return err_set(err, "%s: does not say what there was before a run", path.at);
}

int before_restore(const char *before, const char *from, const char *to, struct err *err)
{
    struct runfile log;
    struct view v = {from, to};
    int failed = read_log(&log, before, err);
    if (failed)
        return -1;
    for (uint32_t i = log.entries.len; !failed && i-- > 0;)
        if (undo(before, &v, &log.entries.at[i]) < 0)
            failed = err_sys(err, "cannot put back %s as it was before the run",
                             (const char *)log.entries.at[i].data);
    runfile_close(&log);
    return failed;
}

void before_doubts(const char *before, const char *from, run_doubts *out)
{
    struct runfile log;
    struct err ignored;
    if (read_log(&log, before, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < log.entries.len; i++) {
        const char *path = (const char *)log.entries.at[i].data;
        if (log.entries.at[i].head.ordinal == BEFORE_LOST || (from && !is_in(path, from))) {
            run_doubt(out, DOUBT_NOT_RESET, path);
            break;
        }
    }
    runfile_close(&log);
}

/* ---- which run -------------------------------------------------------------------------- */

/* There is something to put back, and nobody else was at these paths since the run ended: what
 * it changed itself has not changed later than its log. */
static bool is_as_left(const char *before)
{
    AUTO(str) struct str path = {0};
    struct runfile log;
    struct err ignored;
    struct stat end, st;
    str_add(&path, "%s/log", before);
    if (stat(path.at, &end) < 0 || read_log(&log, before, &ignored) < 0)
        return false;
    bool is_same = true, is_changed = false;
    for (uint32_t i = 0; is_same && i < log.entries.len; i++) {
        bool is_there = lstat((const char *)log.entries.at[i].data, &st) == 0;
        is_changed |= is_there || log.entries.at[i].head.ordinal != BEFORE_ABSENT;
        if (is_there)
            is_same = st.st_ctim.tv_sec < end.st_ctim.tv_sec ||
                      (st.st_ctim.tv_sec == end.st_ctim.tv_sec &&
                       st.st_ctim.tv_nsec <= end.st_ctim.tv_nsec);
    }
    runfile_close(&log);
    return is_same && is_changed;
}

void before_ended(const char *directory)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/before/log", directory);
    utimensat(AT_FDCWD, path.at, NULL, 0); /* nothing was changed: it is not there */
}

static bool same_words(char *const *a, char *const *b)
{
    for (; *a && *b && strcmp(*a, *b) == 0; a++, b++)
        ;
    return !*a && !*b;
}

static bool is_same_run(const struct run_recorded *r, char *const *argv)
{
    char here[PATH_MAX];
    return same_words(r->argv.at, argv) && r->directory && getcwd(here, sizeof here) &&
           strcmp(here, r->directory) == 0;
}

bool run_begins_before_last(char *const *argv)
{
    AUTO(str) struct str run = {0}, before = {0};
    struct run_recorded r = {0};
    struct err ignored;
    const char *base = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    str_add(&run, "%s.heddle/runs/last", base);
    str_add(&before, "%s/before", run.at);
    run_begins_before("");
    if (access(before.at, F_OK) < 0 || run_recorded_read(&r, run.at, &ignored) < 0)
        return false;
    bool is_it = is_same_run(&r, argv) && is_as_left(before.at);
    run_recorded_done(&r);
    if (is_it)
        run_begins_before(run.at);
    return is_it;
}
