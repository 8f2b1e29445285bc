/* SPDX-License-Identifier: Apache-2.0
 *
 * slurm: Slurm as an engine. A round is an array of jobs, or several; behind them comes one job
 * that merges what they left, plans the next round and submits it in the same way. Queues,
 * places, retries of jobs whose host died, limits and accounts are Slurm's; nothing of ours
 * stays anywhere. What was submitted stands in DIR/slurm. */
#include "campaign/campaign-parts.h"

#include "base/capture.h"
#include "base/self.h"

#include <limits.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum {
    ARRAY_MAX = 1000, /* tasks of one array: below MaxArraySize wherever it was not lowered */
    TRIES_MAX = 3,
};

struct submitting {
    struct campaign *c;
    const struct campaign_slurm *o;
    struct str *said;
    struct arena mem;
    char directory[PATH_MAX];
    VEC(const char *) jobs; /* numbers of the arrays */
    campaign_words options;
};

/* ---- scripts ---------------------------------------------------------------------------- */

/* A task of an array does the unit whose number is its own and that of the array's first. What
 * sbatch copies is this text, so it says everything by itself. */
static void print_array(struct str *out, const char *heddle, const char *directory)
{
    str_add(out, "#!/bin/sh\nexec ");
    str_shell(out, heddle);
    str_add(out, " campaign unit ");
    str_shell(out, directory);
    str_add(out, " $((HEDDLE_FIRST + SLURM_ARRAY_TASK_ID))\n");
}

static void print_merge(struct str *out, const char *heddle, const char *directory)
{
    str_add(out, "#!/bin/sh\nexec ");
    str_shell(out, heddle);
    str_add(out, " campaign run ");
    str_shell(out, directory);
    str_add(out, " --on slurm --go-on\n");
}

static int write_script(const struct submitting *s, const char *name,
                        void (*print)(struct str *, const char *, const char *),
                        const char **path, struct arena *mem, struct err *err)
{
    AUTO(str) struct str text = {0}, self = {0}, place = {0};
    self_path(&self);
    print(&text, self.at, s->directory);
    file_of(&place, s->directory, name);
    *path = str_keep(mem, &place);
    return file_publish(*path, &text, err);
}

/* ---- submitting ------------------------------------------------------------------------- */

static const char *keep(struct submitting *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *keep(struct submitting *s, const char *format, ...)
{
    char text[PATH_MAX + 100];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return arena_text(&s->mem, text, strlen(text));
}

static void add_common(struct submitting *s, campaign_words *argv, const char *name)
{
    vec_push(argv, "sbatch");
    vec_push(argv, "--parsable");
    vec_push(argv, "--requeue");
    vec_push(argv, "--ntasks=1");
    vec_push(argv, keep(s, "--job-name=heddle-%s", name));
    vec_push(argv, keep(s, "--chdir=%s", s->directory));
    for (uint32_t i = 0; i < s->options.len; i++)
        vec_push(argv, s->options.at[i]);
}

static int keep_number(struct submitting *s, const char *job, struct err *err)
{
    AUTO(str) struct str path = {0}, text = {0};
    AUTO(bytes) struct bytes old = {0};
    file_of(&path, s->directory, "slurm");
    if (access(path.at, F_OK) == 0) {
        if (bytes_read(&old, path.at, err) < 0)
            return -1;
        str_bytes(&text, (const char *)old.at, old.len);
    }
    str_add(&text, "%s\n", job);
    return file_publish(path.at, &text, err);
}

/* Runs sbatch; *job is the number that it says, without the cluster's name. */
static int submit(struct submitting *s, campaign_words *argv, const char **job, struct err *err)
{
    AUTO(str) struct str said = {0};
    uint64_t ignored;
    for (uint32_t i = 0; i < argv->len; i++) {
        str_add(s->said, i ? " " : "");
        str_shell(s->said, argv->at[i]);
    }
    str_char(s->said, '\n');
    *job = "DRY";
    if (s->o->dry_run)
        return 0;
    vec_push(argv, NULL);
    int code = capture(&said, (char *const *)(uintptr_t)argv->at, NULL);
    struct text t = said.len ? text_trim(str_text(&said)) : TEXT("");
    const char *last = t.len ? memrchr(t.at, '\n', t.len) : NULL;
    if (last)
        t = (struct text){last + 1, t.len - (uint32_t)(last + 1 - t.at)};
    const char *cluster = t.len ? memchr(t.at, ';', t.len) : NULL;
    if (cluster)
        t.len = (uint32_t)(cluster - t.at);
    if (code != 0 || !text_number(t, &ignored))
        return err_set(err, "sbatch: %.300s", said.len ? said.at : "cannot be executed");
    *job = arena_text(&s->mem, t.at, t.len);
    return keep_number(s, *job, err);
}

/* Units of one group that have no result, as "0-4,7". */
static uint32_t print_missing(const struct submitting *s, const struct campaign_round *r,
                              uint64_t first, struct str *out)
{
    uint32_t count = 0;
    uint64_t end =
        r->first + r->count < first + ARRAY_MAX ? r->first + r->count : first + ARRAY_MAX;
    for (uint64_t u = first; u < end; u++) {
        uint64_t from = u;
        while (u < end && !campaign_has_result(s->c, u))
            u++;
        if (u == from)
            continue;
        str_add(out, "%s%llu", count ? "," : "", (unsigned long long)(from - first));
        if (u - from > 1)
            str_add(out, "-%llu", (unsigned long long)(u - 1 - first));
        count += (uint32_t)(u - from);
    }
    return count;
}

static int submit_group(struct submitting *s, const struct campaign_round *r, uint64_t first,
                        const char *script, struct err *err)
{
    AUTO(str) struct str missing = {0};
    campaign_words argv = {0};
    const char *job;
    if (print_missing(s, r, first, &missing) == 0)
        return 0;
    add_common(s, &argv, "units");
    uint64_t limit = s->o->throttle;
    AUTO(str) struct str array = {0};
    str_add(&array, "--array=%s", missing.at);
    if (limit > 0)
        str_add(&array, "%%%llu", (unsigned long long)limit);
    vec_push(&argv, array.at);
    vec_push(&argv, "--output=/dev/null");
    vec_push(&argv, keep(s, "--export=ALL,HEDDLE_FIRST=%llu", (unsigned long long)first));
    vec_push(&argv, script);
    int result = submit(s, &argv, &job, err);
    if (result == 0)
        vec_push(&s->jobs, job);
    vec_done(&argv);
    return result;
}

/* Behind all arrays of the round, however they ended. */
static int submit_merge(struct submitting *s, const struct campaign_round *r, uint32_t tries,
                        const char *script, struct err *err)
{
    AUTO(str) struct str after = {0};
    campaign_words argv = {0};
    const char *job;
    add_common(s, &argv, "merge");
    for (uint32_t i = 0; i < s->jobs.len; i++)
        str_add(&after, "%s%s", i ? ":" : "--dependency=afterany:", s->jobs.at[i]);
    if (after.len)
        vec_push(&argv, after.at);
    vec_push(&argv, keep(s, "--output=%s/merge.log", s->directory));
    vec_push(&argv, "--open-mode=append");
    vec_push(&argv, keep(s, "--export=ALL,HEDDLE_ROUND=%u,HEDDLE_TRIES=%u,HEDDLE_THROTTLE=%llu",
                         r->number, tries, (unsigned long long)s->o->throttle));
    vec_push(&argv, script);
    int result = submit(s, &argv, &job, err);
    vec_done(&argv);
    return result;
}

static int submit_round(struct submitting *s, uint32_t tries, struct err *err)
{
    const struct campaign_round r = *campaign_last(s->c);
    const char *unit, *merge;
    if (write_script(s, "unit.sh", print_array, &unit, &s->mem, err) < 0 ||
        write_script(s, "merge.sh", print_merge, &merge, &s->mem, err) < 0)
        return -1;
    for (uint64_t first = r.first; first < r.first + r.count; first += ARRAY_MAX)
        if (submit_group(s, &r, first, unit, err) < 0)
            return -1;
    return submit_merge(s, &r, tries, merge, err);
}

static int begin(struct submitting *s, struct campaign *c, const struct campaign_slurm *o,
                 struct str *said, struct err *err)
{
    *s = (struct submitting){.c = c, .o = o, .said = said};
    if (!realpath(c->directory, s->directory))
        return err_sys(err, "%s", c->directory);
    if (o->options && campaign_split(&s->mem, text_of(o->options), &s->options, err) < 0)
        return err_in(err, "--slurm");
    /* A name of a partition may stand alone. */
    for (uint32_t i = 0; i < s->options.len; i++)
        if (s->options.at[i][0] != '-' && i == 0)
            s->options.at[i] = keep(s, "--partition=%s", s->options.at[i]);
    return 0;
}

static void finish(struct submitting *s)
{
    vec_done(&s->jobs);
    vec_done(&s->options);
    arena_done(&s->mem);
}

/* The options are for the jobs that come later, too. */
static int keep_options(const struct submitting *s, struct err *err)
{
    AUTO(str) struct str path = {0}, text = {0};
    file_of(&path, s->directory, "slurm-options");
    words_add_all(&text, &s->options);
    str_char(&text, '\n');
    return file_publish(path.at, &text, err);
}

int campaign_run_slurm(struct campaign *c, const struct campaign_slurm *o, struct str *said,
                       struct err *err)
{
    struct submitting s;
    int result = begin(&s, c, o, said, err);
    if (result == 0)
        result = campaign_begin(c, err);
    if (result == 0)
        result = keep_options(&s, err);
    if (result == 0)
        result = submit_round(&s, 1, err);
    finish(&s);
    return result;
}

/* ---- behind a round --------------------------------------------------------------------- */

static uint64_t variable(const char *name)
{
    const char *value = getenv(name);
    uint64_t n = 0;
    return value && text_number(text_of(value), &n) ? n : 0;
}

static uint64_t count_missing(const struct campaign *c, const struct campaign_round *r)
{
    uint64_t count = 0;
    for (uint64_t u = r->first; u < r->first + r->count; u++)
        count += !campaign_has_result(c, u);
    return count;
}

static int give_up_all(const struct campaign *c, const struct campaign_round *r,
                       struct err *err)
{
    for (uint64_t u = r->first; u < r->first + r->count; u++)
        if (!campaign_has_result(c, u) && campaign_give_up(c, u, err) < 0)
            return -1;
    return 0;
}

/* 1: there is nothing more to submit. */
static int go_on(struct submitting *s, uint32_t tries, struct err *err)
{
    struct campaign *c = s->c;
    struct campaign_round r = *campaign_last(c);
    bool is_late = campaign_is_late(c);
    if (count_missing(c, &r) > 0 && !is_late) {
        if (tries < TRIES_MAX)
            return submit_round(s, tries + 1, err);
        if (give_up_all(c, &r, err) < 0)
            return -1;
    }
    if (campaign_step(c, is_late, err) < 0)
        return -1;
    return campaign_last(c)->number == r.number ? 1 : submit_round(s, 1, err);
}

int campaign_go_on_slurm(struct campaign *c, struct str *said, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    struct campaign_slurm o = {.throttle = variable("HEDDLE_THROTTLE")};
    struct submitting s;
    if (campaign_is_stopped(c))
        return 0;
    file_of(&path, c->directory, "slurm-options");
    if (bytes_read(&b, path.at, err) < 0 || begin(&s, c, &o, said, err) < 0)
        return -1;
    struct text line = text_trim((struct text){(const char *)b.at, (uint32_t)b.len});
    int result = campaign_split(&s.mem, line, &s.options, err);
    if (result == 0)
        result = go_on(&s, (uint32_t)variable("HEDDLE_TRIES"), err);
    finish(&s);
    return result < 0 ? -1 : 0;
}

int campaign_cancel_slurm(const struct campaign *c, struct err *err)
{
    AUTO(str) struct str path = {0}, said = {0};
    AUTO(bytes) struct bytes b = {0};
    AUTO(arena) struct arena mem = {0};
    campaign_words argv = {0};
    struct text line;
    file_of(&path, c->directory, "slurm");
    if (access(path.at, F_OK) < 0)
        return 0;
    if (bytes_read(&b, path.at, err) < 0)
        return -1;
    struct text rest = {(const char *)b.at, (uint32_t)b.len};
    vec_push(&argv, "scancel");
    while (words_next_line(&rest, &line))
        if (line.len > 0)
            vec_push(&argv, arena_text(&mem, line.at, line.len));
    vec_push(&argv, NULL);
    int code = argv.len > 2 ? capture(&said, (char *const *)(uintptr_t)argv.at, NULL) : 0;
    vec_done(&argv);
    return code == 0
               ? 0
               : err_set(err, "scancel: %.300s", said.len ? said.at : "cannot be executed");
}
