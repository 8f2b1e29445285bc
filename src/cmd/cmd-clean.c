/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-clean: `heddle clean`: old runs go, the newest and the last stay. */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "finding/finding.h"
#include "run/run.h"

#include <glob.h>
#include <string.h>

enum { KEEP_DEFAULT = 10 };

struct clean_opts {
    uint64_t keep, size_mib;
    bool dry_run;
};

static const struct option_row rows[] = {
    {.type = OPTION_NUMBER,
     .name = "keep",
     .value = "N",
     .help = "runs of each program that stay (10)",
     .offset = offsetof(struct clean_opts, keep)},
    {.type = OPTION_NUMBER,
     .name = "size",
     .value = "MIB",
     .help = "only as many of the oldest go as must for this",
     .offset = offsetof(struct clean_opts, size_mib)},
    {.type = OPTION_FLAG,
     .name = "dry-run",
     .help = "say what would go, remove nothing",
     .offset = offsetof(struct clean_opts, dry_run)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle clean",
    .usage = (const char *const[]){"[PROGRAM.heddle ...] [options]", NULL},
    .about = "Removes old runs of these programs, or of all in the current directory: all but\n"
             "the newest N and the one that runs/last points to, and those by which heddle\n"
             "check confirmed its findings. Reports and witnesses stay. With --size only as\n"
             "many go as must for the runs of a program to take no more.\n",
    .rows = rows,
    .more = "Exit code: 0, or 4 if something could not be read or removed.\n",
    .examples =
        (const struct option_example[]){
            {"heddle clean --dry-run", "what is there to remove?"},
            {"heddle clean --keep 3 bank.heddle", "the last three runs are enough"},
            {NULL, NULL},
        },
};

/* Removes them as far as possible; says what went. */
static int remove_all(const run_olds *olds, bool dry_run, uint64_t kept, struct str *out)
{
    const char *verb = dry_run ? "would remove" : "removed";
    uint64_t bytes = 0;
    uint32_t count = 0;
    int code = EXIT_GOOD;
    for (uint32_t i = 0; i < olds->len; i++) {
        const struct run_old *old = &olds->at[i];
        struct err err;
        int failed = dry_run ? 0 : run_remove_old(old, &err);
        if (failed < 0)
            code = cmd_fail(EXIT_WORLD, &err);
        if (failed)
            continue;
        str_add(out, "%s ", verb);
        add_clean(out, text_of(old->path.at));
        str_add(out, " (%llu bytes)\n", (unsigned long long)old->bytes);
        bytes += old->bytes;
        count++;
    }
    str_add(out, "%s %u run%s, %llu bytes; %llu kept\n", verb, count, count == 1 ? "" : "s",
            (unsigned long long)bytes, (unsigned long long)kept);
    return code;
}

/* Runs that a finding is about: they are how it is seen again. */
static void name_runs(run_names *out, const char *home, struct finding_list *l)
{
    AUTO(str) struct str path = {0};
    struct err ignored;
    str_add(&path, "%s/findings.json", home);
    if (finding_list_read(l, path.at, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < l->findings.len; i++)
        vec_push(out, l->findings.at[i].run);
}

static int find_old(run_olds *out, const char *home, const struct clean_opts *o, uint64_t *kept,
                    struct err *err)
{
    uint32_t first = out->len;
    bool by_size = o->size_mib < UINT64_MAX >> 20;
    uint64_t keep = o->keep != UINT64_MAX ? o->keep : by_size ? 0 : KEEP_DEFAULT, sum = 0;
    AUTO(finding_list) struct finding_list l = {0};
    run_names named = {0};
    name_runs(&named, home, &l);
    int failed = run_find_old(out, home, &named, keep, kept, err);
    vec_done(&named);
    if (failed)
        return -1;
    for (uint32_t i = out->len; by_size && i-- > first;) {
        sum += out->at[i].bytes;
        if (sum > o->size_mib << 20)
            continue;
        str_done(&out->at[i].path);
        memmove(&out->at[i], &out->at[i + 1], (out->len - i - 1) * sizeof *out->at);
        out->len--;
        ++*kept;
    }
    return 0;
}

/* Below the current directory; other people's directories may have such names too. */
static int find_here(run_olds *out, const struct clean_opts *o, uint64_t *kept, struct err *err)
{
    glob_t runs = {0};
    int failed = 0;
    if (glob("*.heddle/runs", 0, NULL, &runs) == 0)
        for (size_t i = 0; !failed && i < runs.gl_pathc; i++) {
            char *slash = strrchr(runs.gl_pathv[i], '/');
            *slash = 0;
            failed = find_old(out, runs.gl_pathv[i], o, kept, err);
        }
    globfree(&runs);
    return failed;
}

static int find_all(run_olds *out, char **homes, int count, const struct clean_opts *o,
                    uint64_t *kept, struct err *err)
{
    if (count == 0)
        return find_here(out, o, kept, err);
    for (int i = 0; i < count; i++) {
        size_t len = strlen(homes[i]);
        while (len > 1 && homes[i][len - 1] == '/')
            homes[i][--len] = 0;
        if (find_old(out, homes[i], o, kept, err) < 0)
            return -1;
    }
    return 0;
}

static int run(int argc, char **argv)
{
    AUTO(str) struct str out = {0};
    struct clean_opts o = {.keep = UINT64_MAX, .size_mib = UINT64_MAX};
    run_olds olds = {0};
    uint64_t kept = 0;
    struct err err;
    int words, done = cmd_parse(&table, &o, argc, argv, &words);
    if (done != GO_ON)
        return done;
    int code;
    if (find_all(&olds, argv, words, &o, &kept, &err) < 0) {
        code = cmd_fail(EXIT_WORLD, &err);
    } else {
        code = remove_all(&olds, o.dry_run, kept, &out);
        int printed = cmd_print(&out);
        code = code ? code : printed;
    }
    run_olds_done(&olds);
    return code;
}

const struct command cmd_clean = {
    .name = "clean", .help = "remove old runs", .table = &table, .run = run};
