/* SPDX-License-Identifier: Apache-2.0
 *
 * merge: the results of a round are taken in the order of their units' numbers, one at a time,
 * so what comes out does not depend on who made them or when, and holds what is different in
 * them and no more: of a thousand units that saw the same race one is kept. */
#include "campaign/campaign-parts.h"

#include <string.h>

struct merging {
    const struct campaign *c;
    struct campaign_state *s;
    const struct campaign_unit *u;
    const struct result *r;
    struct finding_list list; /* of the unit */
    bool keeps;               /* something of it stays: its memory has to */
    uint32_t round;
    /* Of a search that several units do: theirs, until the last one is here. */
    VEC(struct result) held;
    VEC(struct search_part) parts;
    uint32_t searched; /* the test that they are of */
};

uint64_t finding_key(const struct finding *f)
{
    uint64_t key = hash_bytes(f->id, strlen(f->id));
    for (uint32_t i = 0; i < f->sites.len; i++)
        key = hash_u64(key) ^ hash_bytes(f->sites.at[i].file, strlen(f->sites.at[i].file));
    return key;
}

/* ---- findings --------------------------------------------------------------------------- */

/* Where there is no witness a run has shown it: the same policy and seed do it again. */
static const char *replay_of(const struct merging *m, const struct finding *f)
{
    AUTO(str) struct str out = {0};
    if (m->u->kind == UNIT_PREDICT)
        return f->replay;
    if (*f->witness) {
        str_add(&out, "heddle replay ");
        words_add(&out, f->witness);
        return str_keep(&m->s->list.mem, &out);
    }
    const struct campaign_test *t = &m->c->plan.tests.at[m->u->test];
    str_add(&out, "cd ");
    str_shell(&out, t->directory);
    str_add(&out, " && heddle run --policy %s --seed %llu --",
            *m->u->policy ? m->u->policy : "fifo", (unsigned long long)m->u->seed);
    words_add_all(&out, &t->argv);
    return str_keep(&m->s->list.mem, &out);
}

static bool same_id_before(const struct campaign_state *s, uint32_t end, const char *id)
{
    for (uint32_t i = 0; i < end; i++)
        if (strcmp(s->list.findings.at[i].id, id) == 0)
            return true;
    return false;
}

/* A part of the result; of a search in parts, of any of its results. */
static const struct text *find_part(const struct merging *m, const char *name)
{
    for (uint32_t i = 0; i < m->held.len; i++) {
        const struct text *found = result_part(&m->held.at[i], name);
        if (found)
            return found;
    }
    return m->held.len > 0 ? NULL : result_part(m->r, name);
}

/* Its witness becomes a file of the campaign. */
static int save_witness(const struct merging *m, struct finding *f, uint32_t index,
                        struct err *err)
{
    AUTO(str) struct str part = {0}, name = {0}, path = {0};
    if (!*f->witness)
        return 0;
    str_add(&part, "witness %s", base_name(f->witness));
    const struct text *data = find_part(m, part.at);
    str_add(&name, "witnesses/%s", f->id);
    if (same_id_before(m->s, index, f->id))
        str_add(&name, ".%u", index);
    str_add(&name, ".witness");
    f->witness = data ? arena_text(&m->s->list.mem, name.at, name.len) : "";
    file_of(&path, m->c->directory, name.at);
    struct str bytes = data ? (struct str){.at = (char *)(uintptr_t)data->at, .len = data->len}
                            : (struct str){0};
    return data ? file_publish(path.at, &bytes, err) : 0;
}

/* Texts that speak of the unit's own directory speak of the campaign's. */
static int settle(struct merging *m, struct finding *f, uint32_t index, struct err *err)
{
    if (save_witness(m, f, index, err) < 0)
        return -1;
    f->replay = replay_of(m, f);
    f->second = f->run = f->fix = "";
    f->alike = 0;
    m->keeps = true;
    return 0;
}

static bool is_better(const struct finding *f, const struct finding *old)
{
    if (f->is_confirmed != old->is_confirmed)
        return f->is_confirmed;
    return f->is_note != old->is_note ? old->is_note : f->harm > old->harm;
}

static void count_seen(struct campaign_found *found, uint32_t test)
{
    for (uint32_t i = 0; i < found->seen.len; i++)
        if (found->seen.at[i].test == test) {
            found->seen.at[i].count++;
            return;
        }
    vec_push(&found->seen, (struct campaign_seen){test, 1});
}

static void add_source(const struct merging *m, struct campaign_found *found)
{
    if (m->u->kind == UNIT_RECORD && !result_part(m->r, "settled") &&
        found->source_count < SOURCES_MAX)
        found->sources[found->source_count++] =
            (struct campaign_source){m->u->number, m->u->test};
}

static int take_finding(struct merging *m, struct finding *f, struct err *err)
{
    struct campaign_state *s = m->s;
    uint32_t test = m->u->test;
    uint32_t *slot = map_at(&s->by_key, finding_key(f)), index = *slot;
    bool was_predicted = !f->is_confirmed && *f->witness, is_new = index == NONE;
    if (is_new) {
        *slot = index = s->found.len;
        vec_push(&s->found, (struct campaign_found){.round = m->round, .rank = m->u->number});
        s->tests.at[test].new_findings++;
    }
    struct finding *old = is_new ? NULL : &s->list.findings.at[index];
    if (was_predicted)
        add_source(m, &s->found.at[index]);
    if (m->u->kind != UNIT_CONFIRM)
        count_seen(&s->found.at[index], test);
    if (old && !is_better(f, old)) {
        if (m->u->kind == UNIT_CONFIRM && !old->is_confirmed && *f->doubt) {
            old->doubt = f->doubt; /* why it could not be followed */
            m->keeps = true;
        }
        finding_done(f);
        return 0;
    }
    if (settle(m, f, index, err) < 0)
        return -1;
    if (is_new) {
        vec_push(&s->list.findings, *f);
    } else {
        finding_done(old);
        *old = *f;
        s->found.at[index].rank = m->u->number;
    }
    *f = finding_new(f->pattern);
    return 0;
}

/* ---- what else it says ------------------------------------------------------------------ */

static void add_counts(struct merging *m)
{
    const struct finding_list *l = &m->list;
    struct campaign_state *s = m->s;
    struct campaign_tested *t = &s->tests.at[m->u->test];
    bool is_first = m->u->kind != UNIT_CONFIRM;
    for (uint32_t i = 0; i < l->accounts.len; i++) {
        const struct account *a = &l->accounts.at[i];
        if (is_first)
            account_add(&s->list, a);
        else
            account_get(&s->list, a->pattern)->confirmed += a->confirmed;
        t->undecided += is_first ? a->unknown : 0;
    }
    for (uint32_t i = 0; i < l->unseen.len; i++)
        unseen_add(&m->s->list, l->unseen.at[i]);
    if (l->stopped_early)
        vec_push(&s->lost, (struct campaign_lost){m->u->number, "cut short: not all of it was "
                                                                "looked at in its time"});
    if (!is_first)
        return;
    s->list.events += l->events;
    s->list.threads = l->threads > s->list.threads ? l->threads : s->list.threads;
    s->list.runs += l->runs;
    t->records++;
    t->steps = l->events > t->steps ? l->events : t->steps;
}

/* What is in the list. */
static int take_list(struct merging *m, struct err *err)
{
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < m->list.findings.len; i++)
        result = take_finding(m, &m->list.findings.at[i], err);
    m->list.findings.len = result == 0 ? 0 : m->list.findings.len;
    add_counts(m);
    if (m->keeps)
        arena_adopt(&m->s->list.mem, &m->list.mem);
    finding_list_done(&m->list);
    return result;
}

static int take_findings(struct merging *m, struct text json, struct err *err)
{
    return finding_list_parse(&m->list, json, err) < 0 ? -1 : take_list(m, err);
}

/* ---- a search in parts ------------------------------------------------------------------ */

static void forget_search(struct merging *m)
{
    for (uint32_t i = 0; i < m->held.len; i++)
        result_done(&m->held.at[i]);
    for (uint32_t i = 0; i < m->parts.len; i++)
        search_part_done(&m->parts.at[i]);
    m->held.len = m->parts.len = 0;
}

/* All its parts are here: what they found together is as the result of one unit. */
static int join_search(struct merging *m, struct err *err)
{
    struct findings all = {0};
    int result = predict_join(m->parts.at, m->parts.len, &all, err);
    m->list = all.list;
    all.list = (struct finding_list){0};
    findings_done(&all);
    return result < 0 ? -1 : take_list(m, err);
}

/* A search of which a part is lost tells nothing: the campaign says that it is lost. */
static int take_search(struct merging *m, struct result *r, struct err *err)
{
    const struct text *text = result_part(r, "search");
    struct search_part s;
    if (m->searched != m->u->test)
        forget_search(m);
    m->searched = m->u->test;
    if (!text)
        return 0;
    if (search_part_parse(&s, *text, err) < 0)
        return -1;
    vec_push(&m->parts, s);
    vec_push(&m->held, *r);
    *r = (struct result){.host = ""};
    int result =
        m->u->part == m->u->parts && m->parts.len == m->u->parts ? join_search(m, err) : 0;
    if (m->u->part == m->u->parts)
        forget_search(m);
    return result;
}

/* Its witnesses were tried, whatever came of it. */
static void count_tries(struct campaign_state *s, const struct campaign_unit *u)
{
    for (uint32_t i = 0; u->kind == UNIT_CONFIRM && i < s->found.len; i++) {
        struct campaign_found *f = &s->found.at[i];
        if (f->tried >= f->source_count || f->sources[f->tried].unit != u->from)
            continue;
        for (uint32_t k = 0; k < u->ids.len; k++)
            if (strcmp(u->ids.at[k], s->list.findings.at[i].id) == 0) {
                f->tried++;
                break;
            }
    }
}

/* A command that could not do what it was to: the first thing that it said. */
static void take_failure(struct merging *m)
{
    const struct text *said = result_part(m->r, "stderr");
    struct text first = said ? *said : TEXT("no reason");
    const char *nl = first.len ? memchr(first.at, '\n', first.len) : NULL;
    if (nl)
        first.len = (uint32_t)(nl - first.at);
    vec_push(&m->s->lost, (struct campaign_lost){
                              m->u->number, arena_text(&m->s->list.mem, first.at, first.len)});
}

static void take_verdict(struct merging *m)
{
    static const char *const words[] = {"fixed", "broken", NULL, "unknown"};
    static const char *const mutant[] = {"all found", "not all found"};
    int code = m->r->exit;
    const char *text = m->u->kind == UNIT_VERIFY ? (code < 4 ? words[code] : NULL)
                                                 : (code < 2 ? mutant[code] : NULL);
    if (text)
        vec_push(&m->s->verdicts,
                 (struct campaign_verdict){
                     m->u->test, arena_text(&m->s->list.mem, m->u->patch, strlen(m->u->patch)),
                     text});
}

static int take_result(struct merging *m, struct result *r, struct err *err)
{
    const struct text *findings = result_part(m->r, "findings"),
                      *seeds = result_part(m->r, "seeds");
    if (m->r->exit == 2 || m->r->exit > 3)
        take_failure(m);
    if (findings && take_findings(m, *findings, err) < 0)
        return -1;
    if (m->u->kind == UNIT_PREDICT)
        return take_search(m, r, err);
    if (m->u->kind == UNIT_VERIFY || m->u->kind == UNIT_MUTANTS)
        take_verdict(m);
    if (m->u->kind == UNIT_MUTANTS) /* its number is that of a source, not of a test */
        return 0;
    struct campaign_tested *t = &m->s->tests.at[m->u->test];
    t->judged |= m->u->kind == UNIT_RECORD && findings != NULL && m->r->exit < 4;
    if (seeds)
        return seeds_merge(t, *seeds, m->u->policy, &m->s->list.mem, err);
    return 0;
}

static int merge_unit(struct merging *m, bool may_miss, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(result) struct result r = {0};
    file_of_unit(&path, m->c->directory, "results", m->u->number);
    int found = result_read(&r, path.at, err);
    bool is_other = found == 0 && r.hash != unit_hash(m->u);
    if (found < 0)
        return -1;
    if (found == 1 || is_other) {
        m->s->missing++;
        return may_miss
                   ? 0
                   : err_set(err, "unit %llu has no result", (unsigned long long)m->u->number);
    }
    m->r = &r;
    m->keeps = false;
    m->s->units++;
    count_tries(m->s, m->u);
    return take_result(m, &r, err) < 0 ? err_in(err, "%s", path.at) : 0;
}

static void begin_round(struct campaign_state *s)
{
    bool ignored;
    for (uint32_t i = 0; i < s->tests.len; i++) {
        s->tests.at[i].new_findings = 0;
        s->tests.at[i].undecided = 0;
        s->tests.at[i].new_schedules = campaign_schedules(&s->tests.at[i], &ignored);
    }
}

static void end_round(struct campaign_state *s)
{
    bool ignored;
    for (uint32_t i = 0; i < s->tests.len; i++) {
        struct campaign_tested *t = &s->tests.at[i];
        uint64_t now = campaign_schedules(t, &ignored);
        t->new_schedules = now > t->new_schedules ? now - t->new_schedules : 0;
    }
}

int merge_round(const struct campaign *c, const struct campaign_round *r,
                struct campaign_state *s, bool may_miss, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    campaign_units units = {0};
    struct merging m = {.c = c, .s = s, .round = r->number};
    int result = campaign_read_units(c, r, &mem, &units, err);
    begin_round(s);
    for (uint32_t i = 0; result == 0 && i < units.len; i++) {
        m.u = &units.at[i];
        result = merge_unit(&m, may_miss, err);
    }
    forget_search(&m);
    vec_done(&m.held);
    vec_done(&m.parts);
    end_round(s);
    s->round = r->number;
    campaign_units_done(&units);
    return result;
}
