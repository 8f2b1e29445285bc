/* SPDX-License-Identifier: Apache-2.0
 *
 * state: what all rounds so far came to, as a file, so that the results of a round are read
 * once. It has the form of a unit's result: findings as they are everywhere, and lines. */
#include "campaign/campaign-parts.h"

#include <string.h>
#include <unistd.h>

void campaign_state_done(struct campaign_state *s)
{
    for (uint32_t i = 0; i < s->found.len; i++)
        vec_done(&s->found.at[i].seen);
    for (uint32_t i = 0; i < s->tests.len; i++) {
        vec_done(&s->tests.at[i].schedules);
        vec_done(&s->tests.at[i].ends);
    }
    vec_done(&s->found);
    vec_done(&s->tests);
    vec_done(&s->lost);
    vec_done(&s->verdicts);
    map_done(&s->by_key);
    finding_list_done(&s->list);
}

/* ---- out -------------------------------------------------------------------------------- */

static void put_numbers(struct str *out, const char *key, const uint64_t *at, uint32_t count)
{
    str_add(out, "%s", key);
    for (uint32_t i = 0; i < count; i++)
        str_add(out, " %llu", (unsigned long long)at[i]);
    str_char(out, '\n');
}

#define PUT(out, key, ...)                                       \
    do {                                                         \
        const uint64_t put_[] = {__VA_ARGS__};                   \
        put_numbers(out, key, put_, sizeof put_ / sizeof *put_); \
    } while (0)

static void put_found(struct str *out, const struct campaign_found *f)
{
    PUT(out, "found", f->round, f->tried, f->aimed, f->rank);
    for (uint32_t i = 0; i < f->source_count; i++)
        PUT(out, "source", f->sources[i].unit, f->sources[i].test);
    for (uint32_t i = 0; i < f->seen.len; i++)
        PUT(out, "seen", f->seen.at[i].test, f->seen.at[i].count);
}

static void put_tested(struct str *out, const struct campaign_tested *t)
{
    PUT(out, "tested", t->records, t->runs, t->planned, t->recorded_seed, t->steps,
        t->new_schedules, t->new_findings, t->undecided, t->judged);
    for (uint32_t i = 0; i < t->schedules.len; i++)
        PUT(out, "schedule", t->schedules.at[i]);
    for (uint32_t i = 0; i < t->ends.len; i++) {
        const struct campaign_end *e = &t->ends.at[i];
        str_add(out, "end %llu %d %d %llu ", (unsigned long long)e->count, e->failed,
                e->looked_at, (unsigned long long)e->seed);
        str_shell(out, e->policy);
        words_add(out, e->words);
        str_char(out, '\n');
    }
}

int state_write(const struct campaign *c, const struct campaign_state *s, struct err *err)
{
    AUTO(str) struct str lines = {0}, json = {0}, out = {0}, path = {0};
    struct result r = {.unit = s->round, .host = ""};
    PUT(&lines, "units", s->units, s->missing);
    for (uint32_t i = 0; i < s->found.len; i++)
        put_found(&lines, &s->found.at[i]);
    for (uint32_t i = 0; i < s->tests.len; i++)
        put_tested(&lines, &s->tests.at[i]);
    for (uint32_t i = 0; i < s->lost.len; i++) {
        str_add(&lines, "lost %llu ", (unsigned long long)s->lost.at[i].unit);
        str_shell(&lines, s->lost.at[i].why);
        str_char(&lines, '\n');
    }
    for (uint32_t i = 0; i < s->verdicts.len; i++) {
        str_add(&lines, "verdict %u ", s->verdicts.at[i].test);
        str_shell(&lines, s->verdicts.at[i].patch);
        words_add(&lines, s->verdicts.at[i].words);
        str_char(&lines, '\n');
    }
    finding_list_print(&s->list, &json);
    vec_push(&r.parts, (struct result_part){"findings", str_text(&json)});
    vec_push(&r.parts, (struct result_part){"state", str_text(&lines)});
    result_print(&out, &r);
    vec_done(&r.parts);
    file_of_round(&path, c->directory, "merged", s->round);
    return file_publish(path.at, &out, err);
}

/* ---- in --------------------------------------------------------------------------------- */

enum { NUMBERS_MAX = 9 };

/* The numbers behind the first word; how many there are, up to the first that is none. */
static uint32_t take_numbers(const campaign_words *w, uint64_t *n)
{
    uint32_t count = 0;
    while (count < NUMBERS_MAX && count + 1 < w->len &&
           text_number(text_of(w->at[count + 1]), &n[count]))
        count++;
    return count;
}

static bool take_found(struct campaign_state *s, const char *key, const uint64_t *n,
                       uint32_t count)
{
    struct campaign_found *last = s->found.len ? &s->found.at[s->found.len - 1] : NULL;
    if (strcmp(key, "found") == 0 && count == 4) {
        vec_push(&s->found, (struct campaign_found){.round = (uint32_t)n[0],
                                                    .tried = (uint32_t)n[1],
                                                    .aimed = n[2] != 0,
                                                    .rank = n[3]});
        return true;
    }
    if (last && strcmp(key, "source") == 0 && count == 2 && last->source_count < SOURCES_MAX) {
        last->sources[last->source_count++] = (struct campaign_source){n[0], (uint32_t)n[1]};
        return true;
    }
    if (!last || strcmp(key, "seen") != 0 || count != 2 || n[0] >= NONE)
        return false;
    vec_push(&last->seen, (struct campaign_seen){(uint32_t)n[0], n[1]});
    return true;
}

static bool take_tested(struct campaign_state *s, const campaign_words *w, const uint64_t *n,
                        uint32_t count)
{
    struct campaign_tested *last = s->tests.len ? &s->tests.at[s->tests.len - 1] : NULL;
    const char *key = w->at[0];
    if (strcmp(key, "tested") == 0 && count == 9) {
        vec_push(&s->tests, (struct campaign_tested){.records = n[0],
                                                     .runs = n[1],
                                                     .planned = n[2],
                                                     .recorded_seed = n[3],
                                                     .steps = n[4],
                                                     .new_schedules = n[5],
                                                     .new_findings = (uint32_t)n[6],
                                                     .undecided = n[7],
                                                     .judged = n[8] != 0});
        return true;
    }
    if (last && strcmp(key, "schedule") == 0 && count == 1) {
        vec_push(&last->schedules, n[0]);
        return last->schedules.len <= SCHEDULES_KEPT;
    }
    if (!last || strcmp(key, "end") != 0 || count < 4 || w->len != 7)
        return false;
    vec_push(&last->ends, (struct campaign_end){.count = n[0],
                                                .failed = n[1] != 0,
                                                .looked_at = n[2] != 0,
                                                .seed = n[3],
                                                .policy = w->at[5],
                                                .words = w->at[6]});
    return true;
}

static bool take_line(struct campaign_state *s, const campaign_words *w)
{
    uint64_t n[NUMBERS_MAX];
    uint32_t count = take_numbers(w, n);
    const char *key = w->len ? w->at[0] : "";
    if (strcmp(key, "units") == 0 && count == 2) {
        s->units = n[0];
        s->missing = n[1];
        return true;
    }
    if (strcmp(key, "lost") == 0 && count == 1 && w->len == 3) {
        vec_push(&s->lost, (struct campaign_lost){n[0], w->at[2]});
        return true;
    }
    if (strcmp(key, "verdict") == 0 && count >= 1 && w->len == 4) {
        vec_push(&s->verdicts, (struct campaign_verdict){(uint32_t)n[0], w->at[2], w->at[3]});
        return true;
    }
    return count > 0 && (take_found(s, key, n, count) || take_tested(s, w, n, count));
}

static int take_lines(struct campaign_state *s, struct text rest, struct err *err)
{
    struct text line;
    while (words_next_line(&rest, &line)) {
        campaign_words words = {0};
        bool good =
            campaign_split(&s->list.mem, line, &words, err) == 0 && take_line(s, &words);
        vec_done(&words);
        if (!good)
            return err_set(err, "'%.*s' makes no sense", TEXT_ARG(line));
    }
    return 0;
}

/* The file of a state may be long: what is in it is copied, and the file let go. */
static int take_file(const struct campaign *c, const char *path, struct campaign_state *s,
                     struct err *err)
{
    AUTO(result) struct result r = {0};
    int found = result_read(&r, path, err);
    const struct text *json = found == 0 ? result_part(&r, "findings") : NULL,
                      *lines = found == 0 ? result_part(&r, "state") : NULL;
    if (found != 0 || !json || !lines)
        return found < 0 ? -1 : err_set(err, "%s: not the state of a campaign", path);
    if (finding_list_parse(&s->list, *json, err) < 0 || take_lines(s, *lines, err) < 0)
        return err_in(err, "%s", path);
    if (s->found.len != s->list.findings.len || s->tests.len != c->plan.tests.len)
        return err_set(err, "%s: is of another plan", path);
    s->round = (uint32_t)r.unit;
    return 0;
}

int campaign_read_state(const struct campaign *c, uint32_t round, struct campaign_state *out,
                        struct err *err)
{
    AUTO(campaign_state) struct campaign_state s = {0};
    AUTO(str) struct str path = {0};
    file_of_round(&path, c->directory, "merged", round);
    if (round > 0 && take_file(c, path.at, &s, err) < 0)
        return -1;
    for (uint32_t i = 0; round == 0 && i < c->plan.tests.len; i++)
        vec_push(&s.tests, (struct campaign_tested){0});
    if (round == 0)
        s.list.program = s.list.outcome = "";
    for (uint32_t i = 0; i < s.list.findings.len; i++)
        *map_at(&s.by_key, finding_key(&s.list.findings.at[i])) = i;
    *out = s;
    s = (struct campaign_state){0};
    return 0;
}

static bool is_merged(const struct campaign *c, uint32_t round)
{
    AUTO(str) struct str path = {0};
    file_of_round(&path, c->directory, "merged", round);
    return access(path.at, F_OK) == 0;
}

/* Planning marks in the state what it has given out, so the state is written behind it and says
 * that the round is over; the next round, if there is one, is there by then. Whoever is killed
 * between the two leaves a round that is planned again, with the same bytes. */
int campaign_step(struct campaign *c, bool may_miss, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    AUTO(campaign_state) struct campaign_state s = {0};
    campaign_units units = {0};
    struct campaign_round last = *campaign_last(c);
    if (last.number > 1 && !is_merged(c, last.number - 1)) {
        c->rounds.len--; /* killed between the two */
        last = *campaign_last(c);
    }
    if (is_merged(c, last.number))
        return 1;
    if (campaign_read_state(c, last.number - 1, &s, err) < 0 ||
        merge_round(c, &last, &s, may_miss, err) < 0)
        return -1;
    if (!campaign_is_late(c) && s.missing == 0)
        next_plan(&c->plan, &s, &mem, &units);
    bool is_over = units.len == 0;
    int result = is_over ? 0 : round_publish(c, &units, err);
    if (result == 0)
        result = state_write(c, &s, err);
    campaign_units_done(&units);
    return result < 0 ? -1 : is_over;
}

static void say_seen(const struct campaign *c, const struct campaign_found *f, struct str *out)
{
    enum { NAMED_MAX = 5 };
    uint64_t all = 0;
    for (uint32_t i = 0; i < f->seen.len; i++)
        all += f->seen.at[i].count;
    str_add(out, "%llu time%s: ", (unsigned long long)all, all == 1 ? "" : "s");
    for (uint32_t i = 0; i < f->seen.len && i < NAMED_MAX; i++) {
        str_add(out, "%s%s %llu", i ? ", " : "", c->plan.tests.at[f->seen.at[i].test].name,
                (unsigned long long)f->seen.at[i].count);
    }
    if (f->seen.len > NAMED_MAX)
        str_add(out, " and %u more", f->seen.len - NAMED_MAX);
}

static bool is_seen_in(const struct campaign_found *f, uint32_t test)
{
    for (uint32_t i = 0; i < f->seen.len; i++)
        if (f->seen.at[i].test == test)
            return true;
    return false;
}

/* A failure whose cause is known comes with it: as in a check, it is told only if nothing else
 * accounts for it. */
static void join_failures(struct campaign_state *s)
{
    struct finding_list *l = &s->list;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        struct finding *f = &l->findings.at[i];
        if (f->pattern != PATTERN_FAILURE || *f->with || s->found.at[i].seen.len == 0)
            continue;
        for (uint32_t k = 0; k < l->findings.len && !*f->with; k++) {
            struct finding *other = &l->findings.at[k];
            if (other->pattern == PATTERN_FAILURE || !other->is_confirmed || *other->with ||
                other->harm != f->harm ||
                !is_seen_in(&s->found.at[k], s->found.at[i].seen.at[0].test))
                continue;
            f->with = other->id;
            other->alike++;
        }
    }
}

int campaign_report(const struct campaign *c, struct campaign_state *out, struct err *err)
{
    uint32_t round = campaign_last(c)->number;
    while (round > 0 && !is_merged(c, round))
        round--;
    if (campaign_read_state(c, round, out, err) < 0)
        return -1;
    struct finding_list *l = &out->list;
    AUTO(str) struct str name = {0};
    str_add(&name, "a campaign over %u test%s", c->plan.tests.len,
            c->plan.tests.len == 1 ? "" : "s");
    l->program = str_keep(&l->mem, &name);
    for (uint32_t i = 0; i < l->findings.len; i++) {
        AUTO(str) struct str seen = {0};
        say_seen(c, &out->found.at[i], &seen);
        l->findings.at[i].seen = str_keep(&l->mem, &seen);
    }
    join_failures(out);
    finding_list_sort(l);
    return 0;
}

/* ---- hosts ------------------------------------------------------------------------------ */

struct host {
    const char *name;
    uint64_t units, ms;
};

static int add_host(const struct campaign *c, uint64_t unit, struct arena *mem,
                    struct host *hosts, uint32_t *count, struct err *err)
{
    enum { HOSTS_MAX = 10000 };
    AUTO(str) struct str path = {0};
    AUTO(result) struct result r = {0};
    file_of_unit(&path, c->directory, "results", unit);
    int found = result_read(&r, path.at, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    uint32_t i = 0;
    while (i < *count && strcmp(hosts[i].name, r.host) != 0)
        i++;
    if (i == HOSTS_MAX)
        return 0;
    if (i == *count)
        hosts[(*count)++] = (struct host){.name = arena_text(mem, r.host, strlen(r.host))};
    hosts[i].units++;
    hosts[i].ms += r.ms;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct host *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int campaign_say_hosts(const struct campaign *c, struct str *out, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    struct host *hosts = ARENA_NEW(&mem, struct host, 10000);
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->rounds.len; i++)
        for (uint64_t u = 0; u < c->rounds.at[i].count; u++)
            if (add_host(c, c->rounds.at[i].first + u, &mem, hosts, &count, err) < 0)
                return -1;
    qsort(hosts, count, sizeof *hosts, by_name);
    for (uint32_t i = 0; i < count; i++)
        str_add(out, "host %s: %llu units, %llu.%llu s\n", hosts[i].name,
                (unsigned long long)hosts[i].units, (unsigned long long)hosts[i].ms / 1000,
                (unsigned long long)hosts[i].ms / 100 % 10);
    return 0;
}
