/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign-report: `heddle campaign report` and `status`: what came of a campaign so far, and
 * how far it is. */
#include "cmd/cmd-campaign.h"

#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- report ----------------------------------------------------------------------------- */

static const char *name_of(const struct campaign *c, uint32_t test)
{
    return c->plan.tests.at[test].name;
}

static void say_ends(const struct campaign_tested *t, struct str *out)
{
    for (uint32_t i = 0; i < t->ends.len; i++) {
        const struct campaign_end *e = &t->ends.at[i];
        str_add(out, "    %6llu %s", (unsigned long long)e->count, e->words);
        if (e->failed)
            str_add(out, ", first with --policy %s --seed %llu", e->policy,
                    (unsigned long long)e->seed);
        str_char(out, '\n');
    }
}

static void say_coverage(const struct campaign *c, const struct campaign_state *s,
                         struct str *out)
{
    uint64_t candidates = 0, unknown = 0;
    for (uint32_t i = 0; i < s->list.accounts.len; i++) {
        candidates += s->list.accounts.at[i].candidates;
        unknown += s->list.accounts.at[i].unknown;
    }
    str_add(out,
            "\n%llu units in %u rounds; %llu pairs and other candidates looked at, %llu "
            "undecided\n",
            (unsigned long long)s->units, s->round, (unsigned long long)candidates,
            (unsigned long long)unknown);
    for (uint32_t i = 0; i < s->tests.len; i++) {
        const struct campaign_tested *t = &s->tests.at[i];
        bool exact;
        uint64_t schedules = campaign_schedules(t, &exact);
        str_add(out, "%s: %llu recorded", name_of(c, i), (unsigned long long)t->records);
        if (t->runs > 0)
            str_add(out, ", %llu runs with %s%llu schedules", (unsigned long long)t->runs,
                    exact ? "" : "about ", (unsigned long long)schedules);
        str_char(out, '\n');
        say_ends(t, out);
    }
    for (uint32_t i = 0; i < s->verdicts.len; i++) {
        const struct campaign_verdict *v = &s->verdicts.at[i];
        bool is_patch = *v->patch != 0;
        str_add(out, "%s%s%s: %s\n", is_patch ? base_name(v->patch) : "mutants of ",
                is_patch ? " of " : "",
                is_patch ? name_of(c, v->test) : base_name(c->plan.mutants.at[v->test]),
                v->words);
    }
    for (uint32_t i = 0; i < s->lost.len; i++)
        str_add(out, "unit %llu: %s\n", (unsigned long long)s->lost.at[i].unit,
                s->lost.at[i].why);
    if (s->missing > 0)
        str_add(out, "%llu units were not done: the time was over\n",
                (unsigned long long)s->missing);
}

static void put_end(struct json *j, const struct campaign_end *e)
{
    json_open(j, '{');
    json_put_text(j, "end", e->words);
    json_put_u64(j, "runs", e->count);
    json_put_bool(j, "failed", e->failed);
    json_put_text(j, "policy", e->policy);
    json_put_u64(j, "seed", e->seed);
    json_close(j, '}');
}

static void put_tests(struct json *j, const struct campaign *c, const struct campaign_state *s)
{
    json_put_open(j, "tests", '[');
    for (uint32_t i = 0; i < s->tests.len; i++) {
        const struct campaign_tested *t = &s->tests.at[i];
        bool exact;
        uint64_t schedules = campaign_schedules(t, &exact);
        json_open(j, '{');
        json_put_text(j, "name", name_of(c, i));
        JSON_U64S(j, {"recorded", t->records}, {"runs", t->runs}, {"schedules", schedules});
        json_put_bool(j, "schedules_exact", exact);
        JSON_EACH(j, "ends", &t->ends, put_end);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_campaign(struct json *j, const struct campaign *c,
                         const struct campaign_state *s)
{
    json_put_open(j, "campaign", '{');
    JSON_U64S(j, {"rounds", s->round}, {"units", s->units}, {"missing", s->missing});
    put_tests(j, c, s);
    json_put_open(j, "verdicts", '[');
    for (uint32_t i = 0; i < s->verdicts.len; i++) {
        const struct campaign_verdict *v = &s->verdicts.at[i];
        json_open(j, '{');
        JSON_TEXTS(j, {"of", *v->patch ? name_of(c, v->test) : c->plan.mutants.at[v->test]},
                   {"patch", v->patch}, {"verdict", v->words});
        json_close(j, '}');
    }
    json_close(j, ']');
    json_put_open(j, "lost", '[');
    for (uint32_t i = 0; i < s->lost.len; i++) {
        json_open(j, '{');
        json_put_u64(j, "unit", s->lost.at[i].unit);
        json_put_text(j, "why", s->lost.at[i].why);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static bool is_bad(const struct finding_list *l)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (l->findings.at[i].is_confirmed && finding_is_shown(&l->findings.at[i]) &&
            !l->findings.at[i].is_note)
            return true;
    return false;
}

/* The object of the list with one more member. */
static int print_json(const struct campaign *c, const struct campaign_state *s)
{
    AUTO(str) struct str out = {0};
    finding_list_print(&s->list, &out);
    while (out.len > 0 && out.at[out.len - 1] != '}')
        out.len--;
    CHECK(out.len > 1);
    out.len--;
    struct json j = {.out = &out, .comma = true};
    put_campaign(&j, c, s);
    str_add(&out, "}\n");
    int code = cmd_print(&out);
    return code != EXIT_GOOD ? code : is_bad(&s->list) ? EXIT_BAD : EXIT_GOOD;
}

int campaign_print_report(const struct campaign_opts *o, const struct campaign *c)
{
    AUTO(campaign_state) struct campaign_state s = {0};
    AUTO(str) struct str out = {0};
    struct err err;
    if (o->hosts) {
        if (campaign_say_hosts(c, &out, &err) < 0)
            return cmd_fail(EXIT_WORLD, &err);
        return cmd_print(&out);
    }
    if (campaign_report(c, &s, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    if (o->format.json && !o->format.html)
        return print_json(c, &s);
    int code = report_print(&s.list, &o->format);
    if (o->format.json || o->format.sarif || o->format.junit ||
        (code != EXIT_GOOD && code != EXIT_BAD))
        return code;
    say_coverage(c, &s, &out);
    int printed = cmd_print(&out);
    return printed != EXIT_GOOD ? printed : code;
}

/* ---- status ----------------------------------------------------------------------------- */

enum { BAR = 30, FAILED_SHOWN = 10 };

struct stage {
    uint64_t done, all;
};

static void say_bar(struct str *out, enum unit_kind kind, const struct stage *s)
{
    uint64_t filled = s->done * BAR / s->all;
    str_add(out, "  %-8s [", unit_kind_word(kind));
    for (uint64_t i = 0; i < BAR; i++)
        str_char(out, i < filled ? '#' : '.');
    str_add(out, "] %llu of %llu\n", (unsigned long long)s->done, (unsigned long long)s->all);
}

/* By how long the round is there. */
static void say_rate(struct str *out, const struct campaign *c, const struct stage *s)
{
    AUTO(str) struct str path = {0};
    struct stat st;
    str_add(&path, "%s/round-%u", c->directory, campaign_last(c)->number);
    if (s->done == 0 || s->done == s->all || stat(path.at, &st) < 0)
        return;
    double seconds = difftime(time(NULL), st.st_mtime), rate = 0;
    if (seconds < 1)
        return;
    rate = (double)s->done / seconds;
    str_add(out, "  %.1f units a second, %.0f s left in this round\n", rate,
            (double)(s->all - s->done) / rate);
}

static void say_failure(struct str *out, const struct campaign *c,
                        const struct campaign_unit *u, uint32_t *shown)
{
    AUTO(str) struct str why = {0};
    campaign_failure(c, u->number, &why);
    if (why.len == 0 || ++*shown > FAILED_SHOWN)
        return;
    str_add(out, "unit %llu (", (unsigned long long)u->number);
    campaign_describe(out, c, u);
    str_add(out, ") failed: ");
    add_clean(out, str_text(&why));
    str_char(out, '\n');
}

static int say_round(struct str *out, const struct campaign *c, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    campaign_units units = {0};
    struct stage stages[UNIT_KINDS] = {0}, all = {0};
    const struct campaign_round *r = campaign_last(c);
    uint32_t failed = 0;
    AUTO(str) struct str failures = {0};
    if (campaign_read_units(c, r, &mem, &units, err) < 0)
        return -1;
    for (uint32_t i = 0; i < units.len; i++) {
        bool done = campaign_has_result(c, units.at[i].number);
        stages[units.at[i].kind].all++;
        stages[units.at[i].kind].done += done;
        all.done += done;
        if (!done)
            say_failure(&failures, c, &units.at[i], &failed);
    }
    all.all = units.len;
    str_add(out, "round %u: %llu of %llu units%s\n", r->number, (unsigned long long)all.done,
            (unsigned long long)all.all,
            campaign_is_stopped(c) ? "; stopped"
            : campaign_is_late(c)  ? "; the time is over"
                                   : "");
    for (enum unit_kind k = 0; k < UNIT_KINDS; k++)
        if (stages[k].all > 0)
            say_bar(out, k, &stages[k]);
    say_rate(out, c, &all);
    if (failures.len)
        str_bytes(out, failures.at, failures.len);
    if (failed > FAILED_SHOWN)
        str_add(out, "and %u more failed\n", failed - FAILED_SHOWN);
    campaign_units_done(&units);
    return 0;
}

int campaign_print_status(const struct campaign *c)
{
    AUTO(campaign_state) struct campaign_state s = {0};
    AUTO(str) struct str out = {0};
    struct err err;
    if (say_round(&out, c, &err) < 0 || campaign_report(c, &s, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    uint32_t confirmed = 0;
    for (uint32_t i = 0; i < s.list.findings.len; i++)
        confirmed += s.list.findings.at[i].is_confirmed;
    str_add(&out, "%u findings so far, %u confirmed, from %llu units\n", s.list.findings.len,
            confirmed, (unsigned long long)s.units);
    if (s.round == campaign_last(c)->number)
        str_add(&out, "the campaign is over\n");
    for (uint32_t i = 0; i < s.lost.len && i < FAILED_SHOWN; i++)
        str_add(&out, "unit %llu: %s\n", (unsigned long long)s.lost.at[i].unit,
                s.lost.at[i].why);
    return cmd_print(&out);
}
