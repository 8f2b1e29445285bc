/* SPDX-License-Identifier: Apache-2.0
 *
 * passes: one run, recorded in one pass or in two. While everything fits into its budget one
 * pass records everything. What does not fit is recorded by a second pass, a replay: the first
 * one has found out which memory two threads share, so that the second can record that alone,
 * and from the first access on. */
#include "base/io.h"
#include "run/parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef VEC(struct shared_range) range_vec;

static void path_in(struct str *out, const char *directory, const char *name)
{
    str_add(out, "%s/%s", directory, name);
}

static uint64_t file_bytes(const char *directory, const char *name)
{
    AUTO(str) struct str path = {0};
    struct stat st;
    path_in(&path, directory, name);
    return stat(path.at, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

/* ---- what is shared --------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct shared_range *x = a, *y = b;
    if (x->life != y->life)
        return x->life < y->life ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* The first pass appended them as it found them; a killed one leaves zeros behind. */
static int ranges_read(range_vec *out, const char *path, struct err *err)
{
    AUTO(bytes) struct bytes in = {0};
    struct log_head head;
    if (bytes_read(&in, path, err) < 0)
        return -1;
    if (in.len < sizeof head)
        return err_set(err, "%s: too short", path);
    memcpy(&head, in.at, sizeof head);
    if (head.magic != LOG_MAGIC || head.version != TRACE_VERSION || head.kind != LOG_SHARED)
        return err_set(err, "%s: not a file about what is shared", path);
    for (size_t at = sizeof head; at + sizeof *out->at <= in.len; at += sizeof *out->at) {
        struct shared_range r;
        memcpy(&r, in.at + at, sizeof r);
        if (r.count == 0)
            break;
        vec_push(out, r);
    }
    return 0;
}

/* Sorted, and what touches or overlaps made one. */
static void ranges_sort(range_vec *v)
{
    uint32_t kept = 0;
    if (v->len > 0)
        qsort(v->at, v->len, sizeof *v->at, by_place);
    for (uint32_t i = 0; i < v->len; i++) {
        struct shared_range r = v->at[i], *last = kept ? &v->at[kept - 1] : NULL;
        uint64_t ahead = last ? r.first - last->first : 0;
        if (last && last->life == r.life && ahead <= last->count) {
            if (ahead + r.count > last->count)
                last->count = (uint32_t)(ahead + r.count);
        } else {
            v->at[kept++] = r;
        }
    }
    v->len = kept;
}

static int sort_shared(const char *path, struct err *err)
{
    range_vec ranges = {0};
    AUTO(str) struct str out = {0};
    struct log_head head = {LOG_MAGIC, TRACE_VERSION, LOG_SHARED};
    int failed = ranges_read(&ranges, path, err);
    if (!failed) {
        ranges_sort(&ranges);
        str_bytes(&out, (const char *)&head, sizeof head);
        for (uint32_t i = 0; i < ranges.len; i++)
            str_bytes(&out, (const char *)&ranges.at[i], sizeof ranges.at[i]);
        failed = file_write(path, out.at, out.len, err);
    }
    vec_done(&ranges);
    return failed;
}

/* ---- passes ----------------------------------------------------------------------------- */

/* The code of other outcomes is the number of an event, and the passes differ in these. */
static bool same_end(const struct run_result *a, const struct run_result *b)
{
    bool has_code =
        a->outcome == WORD_VALUE(OUTCOME, EXIT) || a->outcome == WORD_VALUE(OUTCOME, CRASH);
    return a->outcome == b->outcome && (!has_code || a->code == b->code);
}

/* The second pass, in a directory of its own; only its trace is kept. */
static int second_pass(struct run_result *r, char *const *argv, const char *directory,
                       const struct run_opts *opts, struct err *err)
{
    AUTO(str) struct str again = {0};
    AUTO(str) struct str schedule = {0};
    AUTO(str) struct str shared = {0};
    AUTO(str) struct str world = {0};
    AUTO(str) struct str from = {0};
    AUTO(str) struct str to = {0};
    path_in(&again, directory, "again");
    path_in(&schedule, directory, "schedule");
    path_in(&shared, directory, "shared");
    path_in(&world, directory, "input");
    path_in(&from, again.at, "trace");
    path_in(&to, directory, "trace");
    struct run_opts replay = *opts;
    replay.schedule = schedule.at;
    replay.shared = shared.at;
    replay.world = world.at; /* what happened outside happens once */
    replay.find_shared = replay.no_trace = replay.show_output = replay.keep_before = false;
    if (sort_shared(shared.at, err) < 0 || run_make_directory(again.at, err) < 0)
        return -1;
    struct run_result second = {0};
    int failed = run_target(&second, argv, again.at, &replay, err);
    if (!failed && !same_end(r, &second)) {
        r->outcome = WORD_VALUE(OUTCOME, DIVERGED);
        r->text.len = 0;
        str_add(&r->text, "diverged: the second pass ended otherwise: %s", second.text.at);
    } else if (!failed && rename(from.at, to.at) < 0) {
        failed = err_sys(err, "%s", to.at);
    }
    run_result_done(&second);
    run_remove(again.at);
    return failed;
}

/* Is there something to replay? A hang is: the log says at which step the limit struck. */
static bool can_follow(const struct run_result *r)
{
    return r->outcome != WORD_VALUE(OUTCOME, UNSUPPORTED) &&
           r->outcome != WORD_VALUE(OUTCOME, DIVERGED);
}

/* Bytes of the trace; of a whole one, with everything written out that it says in short. */
static uint64_t trace_bytes(const char *directory)
{
    AUTO(str) struct str path = {0};
    struct trace_head head = {0};
    path_in(&path, directory, "trace");
    AUTO(fd) int fd = open(path.at, O_RDONLY | O_CLOEXEC);
    uint64_t bytes = file_bytes(directory, "trace");
    if (fd < 0 || read(fd, &head, sizeof head) != (ssize_t)sizeof head)
        return bytes;
    return head.full_bytes > bytes ? head.full_bytes : bytes;
}

/* A second one if it is wanted. The run's forked children have made the first one with it. */
static int go_on(struct run_result *r, char *const *argv, const char *directory,
                 const struct run_opts *opts, struct err *err)
{
    AUTO(str) struct str shared = {0};
    bool again =
        opts->passes == 2 || (opts->passes == 0 && trace_bytes(directory) > opts->budget_bytes);
    bool known = file_bytes(directory, "shared") > 0;
    path_in(&shared, directory, "shared");
    if (again && known && can_follow(r) && !opts->no_trace) {
        if (second_pass(r, argv, directory, opts, err) < 0)
            return -1;
    } else if (known) {
        remove(shared.at);
    }
    for (uint32_t n = 1; n < UINT32_MAX; n++) {
        AUTO(str) struct str child = {0};
        struct run_result ended = {0};
        str_add(&child, "%s/child-%u", directory, n);
        if (access(child.at, F_OK) < 0)
            return 0;
        if (!read_outcome(&ended, child.at))
            ended.outcome = WORD_VALUE(OUTCOME, UNSUPPORTED); /* there is nothing to follow */
        int failed = go_on(&ended, argv, child.at, opts, err);
        run_result_done(&ended);
        if (failed)
            return -1;
    }
    return 0;
}

int run_passes(struct run_result *out, char *const *argv, const char *directory,
               const struct run_opts *opts, struct err *err)
{
    struct run_opts first = *opts;
    struct run_result r = {0};
    first.find_shared = opts->passes != 1;
    first.no_trace = opts->no_trace || opts->passes == 2;
    if (run_target(&r, argv, directory, &first, err) < 0)
        return -1;
    if (go_on(&r, argv, directory, opts, err) < 0) {
        run_result_done(&r);
        return -1;
    }
    *out = r;
    return 0;
}
