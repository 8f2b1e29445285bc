/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign-new: `heddle campaign new`: from options to a plan. */
#include "cmd/cmd-campaign.h"

#include "cmd/cmd.h"
#include "cmd/policy-option.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS_DEFAULT = 200,
    CHECK_S = 240, /* more than what comes to an end needs */
    CHUNKS = 4,
};
#define POLICIES_DEFAULT "fifo,random,pos,pct:2,pct:3"

/* With each input, or with none. */
static int add_test(struct campaign_plan *p, const struct campaign_opts *o,
                    const campaign_words *argv, struct err *err)
{
    for (uint32_t i = 0; i < o->inputs.len; i++)
        if (campaign_add_test(p, ".", argv, o->inputs.at[i], NULL, err) < 0)
            return -1;
    return o->inputs.len > 0 ? 0 : campaign_add_test(p, ".", argv, NULL, NULL, err);
}

static int add_line(struct campaign_plan *p, const struct campaign_opts *o, struct text line,
                    struct err *err)
{
    campaign_words argv = {0};
    int result = campaign_split(&p->mem, line, &argv, err);
    if (result == 0)
        result = add_test(p, o, &argv, err);
    vec_done(&argv);
    return result;
}

/* "ctest", "ctest:DIR", "meson", "meson:DIR", or a command. */
static int add_word(struct campaign_plan *p, const struct campaign_opts *o, const char *word,
                    struct err *err)
{
    static const struct {
        const char *name;
        int (*add)(struct campaign_plan *p, const char *directory, struct err *err);
    } lists[] = {{"ctest", campaign_add_ctest}, {"meson", campaign_add_meson}};
    for (uint32_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t len = strlen(lists[i].name);
        if (strncmp(word, lists[i].name, len) == 0 && (word[len] == 0 || word[len] == ':'))
            return lists[i].add(p, word[len] ? word + len + 1 : ".", err);
    }
    return add_line(p, o, text_of(word), err);
}

/* A test a line; blank ones and those that begin with # are none. */
static int add_file(struct campaign_plan *p, const struct campaign_opts *o, const char *path,
                    struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    if (bytes_read(&b, path, err) < 0)
        return -1;
    const char *at = (const char *)b.at, *end = at + b.len;
    for (uint32_t number = 1; at < end; number++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        struct text line = text_trim((struct text){at, (uint32_t)((nl ? nl : end) - at)});
        at = nl ? nl + 1 : end;
        if (line.len > 0 && line.at[0] != '#' && add_line(p, o, line, err) < 0)
            return err_in(err, "%s:%u", path, number);
    }
    return 0;
}

static int add_tests(struct campaign_plan *p, const struct campaign_opts *o, char **rest,
                     struct err *err)
{
    campaign_words argv = {0};
    for (uint32_t i = 0; i < o->tests.len; i++)
        if (add_word(p, o, o->tests.at[i], err) < 0)
            return -1;
    if (o->tests_from && add_file(p, o, o->tests_from, err) < 0)
        return -1;
    for (; *rest; rest++)
        vec_push(&argv, *rest);
    int result = argv.len > 0 ? add_test(p, o, &argv, err) : 0;
    vec_done(&argv);
    return result;
}

static int add_policies(struct campaign_plan *p, const char *list, struct err *err)
{
    while (*list) {
        size_t len = strcspn(list, ",");
        const char *policy = arena_text(&p->mem, list, len);
        if (policy_check("campaign", policy, err) < 0)
            return -1;
        if (!policy_is_alone(policy))
            return err_set(err,
                           "campaign: --policies %s: a campaign uses fifo, random, pct:D, "
                           "pos and rr",
                           policy);
        vec_push(&p->policies, policy);
        list += len + (list[len] == ',');
    }
    return p->policies.len > 0 ? 0 : err_set(err, "campaign: --policies names none");
}

static int add_files(struct campaign_plan *p, campaign_words *out, const option_texts *from,
                     struct err *err)
{
    char absolute[PATH_MAX];
    for (uint32_t i = 0; i < from->len; i++) {
        if (!realpath(from->at[i], absolute))
            return err_sys(err, "%s", from->at[i]);
        vec_push(out, arena_text(&p->mem, absolute, strlen(absolute)));
    }
    return 0;
}

static int fill(struct campaign_plan *p, const struct campaign_opts *o, char **rest,
                struct err *err)
{
    p->runs = o->runs == UINT64_MAX ? RUNS_DEFAULT : o->runs;
    p->seconds = o->time_s;
    p->timeout_s = o->timeout_s;
    p->check_s = o->check_s ? o->check_s : CHECK_S;
    p->memory_mb = o->memory_mb;
    if (add_policies(p, o->policies ? o->policies : POLICIES_DEFAULT, err) < 0 ||
        add_files(p, &p->patches, &o->patches, err) < 0 ||
        add_files(p, &p->mutants, &o->mutants, err) < 0)
        return -1;
    for (uint32_t i = 0; i < o->traces.len; i++)
        if (campaign_add_trace(p, o->traces.at[i], o->chunks ? o->chunks : CHUNKS, err) < 0)
            return -1;
    return add_tests(p, o, rest, err);
}

int campaign_plan_new(const struct campaign_opts *o, const char *directory, char **rest)
{
    AUTO(campaign_plan) struct campaign_plan p = {0};
    AUTO(str) struct str out = {0};
    struct err err;
    if (fill(&p, o, rest, &err) < 0 || campaign_new(&p, directory, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    AUTO(campaign) struct campaign c;
    if (campaign_open(&c, directory, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    str_add(&out, "%s: %u tests, %llu units in the first round\n", directory, p.tests.len,
            (unsigned long long)campaign_last(&c)->count);
    return cmd_print(&out);
}
