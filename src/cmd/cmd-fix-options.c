/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-options: what the commands that look for a failure share. */
#include "cmd/cmd-fix.h"

#include "base/log.h"
#include "cmd/cmd.h"

#include <unistd.h>

static void progress(const char *what, uint64_t done)
{
    static const char *last;
    if (last != what)
        progress_begin(what);
    last = what;
    progress_count(done, "runs");
}

struct seek_runs seek_opts_of(const struct seek_opts *o, char *const *argv)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t jobs = o->jobs ? o->jobs : cpus > 0 ? (uint64_t)cpus : 1;
    struct seek_runs opts = {
        .argv = argv,
        .runs = o->runs,
        .run = {.seed = o->seed,
                .oracle = o->oracle,
                .expect = o->expect,
                .expect_lines = o->expect_lines,
                .input = o->input,
                .peers = o->peers,
                .timeout_s = (uint32_t)o->timeout_s},
        .pool = {.jobs = jobs < RUN_JOBS_MAX ? (uint32_t)jobs : RUN_JOBS_MAX,
                 .in_place = o->in_place,
                 .before_each = o->before_each},
        .progress = progress,
    };
    delay_set(&opts.run, &o->delay);
    struct err ignored; /* seek_begin has told */
    (void)client_set(&opts.run, &o->client, &ignored);
    follow_set(&opts.run, &o->follow);
    (void)weak_set(&opts.run, &o->weak, &ignored);
    return opts;
}

int seek_begin(const struct option_table *table, void *into, const struct seek_opts *seek,
               int argc, char **argv, int *own, int *words)
{
    struct err err;
    *own = cmd_own_words(argc, argv);
    int done = cmd_parse(table, into, *own, argv, words);
    if (done != GO_ON)
        return done;
    struct run_opts unused = {0}; /* is what they name there? */
    if (client_set(&unused, &seek->client, &err) < 0 ||
        weak_set(&unused, &seek->weak, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    time_begin(seek->time_s);
    return GO_ON;
}

void add_site(struct str *out, const struct code_site *s)
{
    const char *slash = strrchr(s->file, '/');
    if (s->file[0])
        str_add(out, "%s:%u", slash ? slash + 1 : s->file, s->line);
    else
        str_add(out, "?");
}

void json_site(struct json *j, const struct code_site *s)
{
    json_put_text(j, "file", s->file);
    json_put_u64(j, "line", s->line);
    json_put_u64(j, "column", s->column);
    json_put_text(j, "function", s->function);
}
