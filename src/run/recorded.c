/* SPDX-License-Identifier: Apache-2.0
 *
 * recorded: a run that lies in a directory, ready to be run again. Its files may be packed,
 * and the directory may have been moved; where the program worked is written in it. */
#include "run/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void free_texts(char **at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(at[i]);
}

void run_recorded_done(struct run_recorded *r)
{
    free_texts(r->argv.at, r->argv.len);
    free_texts(r->env.at, r->env.len);
    vec_done(&r->argv);
    vec_done(&r->env);
    free(r->directory);
    free(r->build);
    free(r->process);
    free(r->made);
    run_result_done(&r->outcome);
    runfile_close(&r->schedule);
    str_done(&r->path);
    str_done(&r->shared);
    str_done(&r->peers);
    str_done(&r->world);
}

static int read_command(struct run_recorded *r, const char *run, struct err *err)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    str_add(&path, "%s/command", run);
    if (runfile_open(&f, path.at, err) < 0)
        return -1;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        char *text = strndup((const char *)e->data, e->head.bytes);
        CHECK(text);
        char **one = e->head.tag == TAG_DIRECTORY ? &r->directory
                     : e->head.tag == TAG_BUILD   ? &r->build
                     : e->head.tag == TAG_PROCESS ? &r->process
                     : e->head.tag == TAG_MADE    ? &r->made
                                                  : NULL;
        if (e->head.tag == TAG_ARGUMENT)
            vec_push(&r->argv, text);
        else if (e->head.tag == TAG_ENVIRONMENT)
            vec_push(&r->env, text);
        else if (one && (!*one || one == &r->process || one == &r->made)) {
            free(*one); /* of a child's child, the last one counts */
            *one = text;
        } else
            free(text);
    }
    runfile_close(&f);
    if (r->argv.len == 0)
        return err_set(err, "%s: names no program", path.at);
    vec_push(&r->argv, NULL);
    vec_push(&r->env, NULL);
    return 0;
}

/* How many events there are; the whole trace is read only if it is cut. */
static int count_events(struct run_recorded *r, const char *run, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    if (trace_open_in(&t, run, err) < 0)
        return -1;
    r->events = t.head.event_count;
    r->cut = !(t.head.flags & TRACE_CLOSED);
    if (!r->cut)
        return 0;
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    int item;
    cursor_init(c, &t);
    while ((item = trace_next(c, &e, err)) > ITEM_END)
        ;
    r->events = c->number;
    free(c);
    return item < 0 ? -1 : 0;
}

static int read_schedule(struct run_recorded *r, const char *run, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/schedule", run);
    return runfile_open(&r->schedule, path.at, err);
}

/* Its path, if it is there. */
static void find_file(struct str *out, const struct run_recorded *r, const char *name)
{
    str_add(out, "%s/%s", r->path.at, name);
    if (access(out->at, R_OK) < 0)
        out->len = 0;
}

int run_recorded_read(struct run_recorded *out, const char *run, struct err *err)
{
    struct run_recorded r = {0};
    char *absolute = realpath(run, NULL);
    if (!absolute)
        return err_sys(err, "%s", run);
    str_add(&r.path, "%s", absolute);
    free(absolute);
    find_file(&r.shared, &r, "shared");
    find_file(&r.world, &r, "input");
    find_file(&r.peers, &r, "peers");
    r.has_outcome = read_outcome(&r.outcome, r.path.at);
    if (!r.has_outcome)
        r.outcome.outcome = WORD_VALUE(OUTCOME, CUT);
    if (read_command(&r, run, err) < 0 || read_schedule(&r, run, err) < 0 ||
        count_events(&r, run, err) < 0) {
        run_recorded_done(&r);
        return -1;
    }
    *out = r;
    return 0;
}

static int run_schedule_write(const struct choice *choices, uint32_t count, const char *path,
                              struct err *err)
{
    struct runfile_out o = {0};
    runfile_begin(&o, LOG_SCHEDULE);
    for (uint32_t i = 0; i < count; i++)
        runfile_choice(&o, choices[i]);
    int failed = file_write(path, o.bytes.at, o.bytes.len, err);
    str_done(&o.bytes);
    return failed;
}

/* ---- where it is run again -------------------------------------------------------------- */

int run_again_open(struct run_again *out, const struct run_recorded *r, bool in_place,
                   struct err *err)
{
    struct run_again a = {.recorded = r};
    const char *temp = getenv("TMPDIR");
    str_add(&a.files, "%s/replay-XXXXXX", r->path.at);
    if (!mkdtemp(a.files.at)) { /* it is not ours to write to */
        a.files.len = 0;
        str_add(&a.files, "%s/heddle-replay-XXXXXX", temp && temp[0] ? temp : "/tmp");
        if (!mkdtemp(a.files.at))
            return err_sys(err, "%s", a.files.at);
    }
    str_add(&a.schedule, "%s/plan", a.files.at);
    run_begins_before(r->path.at);
    if (r->directory && chdir(r->directory) < 0)
        err_sys(err, "%s, where it was recorded", r->directory);
    else if (in_place || run_world_open(&a.in, r->directory ? r->directory : ".", err) == 0) {
        *out = a;
        return 0;
    }
    run_again_close(&a);
    return -1;
}

/* The runtime reads plain files only. `path` becomes that of a plain copy if it is packed. */
static int unpack(struct run_again *a, const char **path, const char *name, struct str *copy,
                  struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    if (!*path)
        return 0;
    if (bytes_read(&b, *path, err) < 0)
        return -1;
    if (b.len < 4 ||
        (memcmp(b.at, "\x1f\x8b", 2) != 0 && memcmp(b.at, "\x28\xb5\x2f\xfd", 4) != 0))
        return 0;
    copy->len = 0;
    str_add(copy, "%s/%s", a->files.at, name);
    *path = copy->at;
    return bytes_unpack(&b, err) < 0 ? -1 : file_write(copy->at, b.at, b.len, err);
}

int run_again_prepare(struct run_again *a, const struct choice *choices, uint32_t count,
                      struct run_opts *opts, struct err *err)
{
    const struct run_recorded *r = a->recorded;
    opts->schedule = a->schedule.at;
    opts->in = a->in;
    opts->world = r->world.len && !opts->nudged ? r->world.at : NULL;
    opts->shared = r->shared.len ? r->shared.at : NULL;
    opts->process = r->process;
    if (opts->nudged && r->peers.len)
        opts->peers = r->peers.at;
    run_clear(a->files.at);
    a->times++;
    if (run_schedule_write(choices, count, a->schedule.at, err) < 0 ||
        unpack(a, &opts->world, "plain-input", &a->plain_world, err) < 0 ||
        unpack(a, &opts->shared, "plain-shared", &a->plain_shared, err) < 0)
        return -1;
    return 0;
}

int run_again(struct run_again *a, const struct choice *choices, uint32_t count,
              struct run_result *out, const struct run_opts *opts, struct err *err)
{
    struct run_opts own = *opts;
    if (run_again_prepare(a, choices, count, &own, err) < 0)
        return -1;
    return run_target(out, a->recorded->argv.at, a->files.at, &own, err);
}

/* It ended well, or when it was asked to: what its client thought of that is not in the log. */
static bool gave_no_cause(const struct run_result *r)
{
    return run_ended_well(r) || run_was_asked_to_end(r);
}

bool run_ends_again(const char *directory, const struct run_result *r,
                    const struct run_opts *opts, bool in_place)
{
    AUTO(str) struct str kind = {0}, again = {0};
    struct run_recorded recorded = {0};
    struct run_again a = {0};
    struct run_result result = {0};
    struct err ignored;
    if (run_recorded_read(&recorded, directory, &ignored) < 0)
        return false;
    struct run_opts own = {.timeout_s = opts->timeout_s,
                           .oracle = opts->oracle,
                           .expect = opts->expect,
                           .no_trace = true};
    bool is_made = false;
    if (run_again_open(&a, &recorded, in_place, &ignored) == 0) {
        is_made = run_again(&a, recorded.schedule.choices.at, recorded.schedule.choices.len,
                            &result, &own, &ignored) == 0;
        run_again_close(&a);
    }
    run_kind(&kind, r);
    if (is_made)
        run_kind(&again, &result);
    bool same = is_made &&
                (run_is_clients(r) ? gave_no_cause(&result) : strcmp(kind.at, again.at) == 0);
    run_result_done(&result);
    run_recorded_done(&recorded);
    return same;
}

int run_window(struct run_again *a, struct run_result *out, const struct run_opts *opts,
               struct err *err)
{
    const struct run_recorded *r = a->recorded;
    struct run_opts own = *opts;
    own.window = true;
    if (run_again_prepare(a, r->schedule.choices.at, r->schedule.choices.len, &own, err) < 0)
        return -1;
    own.shared = NULL; /* everything, whoever shares it */
    if (run_target(out, r->argv.at, a->files.at, &own, err) < 0)
        return -1;
    return out->outcome == WORD_VALUE(OUTCOME, DIVERGED);
}

int run_calls(struct run_again *a, const struct run_opts *opts, struct err *err)
{
    const struct run_recorded *r = a->recorded;
    struct run_result result = {0};
    struct run_opts own = *opts;
    own.calls = true;
    if (run_again(a, r->schedule.choices.at, r->schedule.choices.len, &result, &own, err) < 0)
        return -1;
    bool differs = result.outcome == WORD_VALUE(OUTCOME, DIVERGED);
    run_result_done(&result);
    return differs;
}

void run_again_close(struct run_again *a)
{
    if (a->files.len)
        run_remove(a->files.at);
    run_world_close(a->in);
    str_done(&a->files);
    str_done(&a->schedule);
    str_done(&a->plain_world);
    str_done(&a->plain_shared);
}
