/* SPDX-License-Identifier: Apache-2.0
 *
 * parts: one everyday search by several processes, each with the whole trace and model. What a
 * search takes is the walk along the trace, not its questions. So patterns are divided, and of
 * races, whose walk is the longest, the cells: what is found at one does not depend on another
 * but for the tries that all cells have together. A part counts its own, so it asks all that
 * the whole search would have asked, and maybe more: the rows of all parts, in the order of the
 * whole search, with the tries counted again, are that search's (docs/decisions/130).
 *
 *     heddle-search 1
 *     part 2 4
 *     mode sound 1000000              and the events of the trace
 *     row SEARCH PATTERN EVENT CELL KEY WAY ANSWER REFUSED REFUTER
 *     yes FINDING KIND ADJACENT ORDERED COUNT number... COUNT site...     of the row before
 *     list 4711
 *     ... 4711 bytes of JSON */
#include "predict/engine.h"

#include <stdlib.h>
#include <string.h>

#define PART_HEAD "heddle-search 1"

/* ---- who looks at what ------------------------------------------------------------------ */

static uint32_t lightest(const uint32_t *loads, uint32_t count)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++)
        if (loads[i] < loads[least])
            least = i;
    return least;
}

/* The searches in the order of their cost, then the shares of the cells: each goes to the part
 * that has least to do so far. */
uint64_t part_shares(const struct predict_part *part, uint32_t search)
{
    enum { COST_MOST = 256 };
    uint32_t loads[PREDICT_PARTS_MAX] = {0};
    uint64_t mine = 0;
    bool is_cut = false;
    CHECK(part->number > 0 && part->number <= part->of && part->of <= PREDICT_PARTS_MAX);
    for (uint32_t cost = COST_MOST; cost-- > 0;)
        for (uint32_t i = 0, at = 0; patterns[i]; i++) {
            uint32_t own = patterns[i]->cost, to;
            if (!patterns[i]->scan)
                continue;
            bool is_it = at++ == search;
            if (patterns[i]->id == PATTERN_RACE) {
                is_cut |= is_it;
                continue;
            }
            if (own != cost)
                continue;
            to = lightest(loads, part->of);
            loads[to] += own + 1;
            mine |= is_it && to + 1 == part->number;
        }
    for (uint32_t share = 0; is_cut && share < CELL_SHARES; share++) {
        uint32_t to = lightest(loads, part->of);
        loads[to] += pattern_race.cost;
        mine |= (uint64_t)(to + 1 == part->number) << share;
    }
    return mine;
}

void predict_only_part(struct predictor *p, struct predict_part part)
{
    p->part = part;
}

/* ---- the rows of a part ----------------------------------------------------------------- */

struct keeping {
    const struct model *m;
    struct search_part *out;
};

static void keep_row(void *arg, const struct predicted *found, enum answer answer)
{
    struct keeping *k = arg;
    struct search_part *s = k->out;
    struct part_row row = row_of(k->m, found, answer);
    if (answer == ANSWER_YES) {
        struct finding f;
        predict_tell(k->m, found, &s->list.mem, &f);
        row.finding = s->list.findings.len;
        vec_push(&s->list.findings, f);
        vec_push(&s->predicted, *found);
    }
    vec_push(&s->rows, row);
}

void predict_rows(struct predictor *p, struct search_part *out)
{
    struct keeping k = {p->m, out};
    *out = (struct search_part){
        .part = p->part, .trace_events = p->m->trace_events, .mode = mode_text(p->mode)};
    describe_list(p, &out->list);
    add_unseen(p, &out->list);
    predict_scan(p, keep_row, &k);
    add_skipped(p, &out->list);
}

void search_part_done(struct search_part *s)
{
    vec_done(&s->rows);
    vec_done(&s->predicted);
    finding_list_done(&s->list);
}

/* ---- as text ---------------------------------------------------------------------------- */

static void put(struct str *out, uint64_t n)
{
    str_char(out, ' ');
    str_u64(out, n);
}

static void put_row(struct str *out, const struct part_row *r)
{
    const struct query *q = &r->query;
    const uint64_t numbers[] = {r->at.search,        r->pattern,       r->at.event,
                                r->at.cell,          r->at.key,        r->at.way,
                                (uint64_t)r->answer, r->at.is_refused, (uint64_t)r->at.refuter};
    str_add(out, "row");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put(out, numbers[i]);
    str_char(out, '\n');
    if (r->finding == NONE)
        return;
    const uint64_t more[] = {r->finding, (uint64_t)q->kind, q->adjacent, q->ordered, q->count};
    str_add(out, "yes");
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        put(out, more[i]);
    for (uint32_t i = 0; i < q->count; i++)
        put(out, q->number[i]);
    put(out, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        put(out, r->sites[i]);
    str_char(out, '\n');
}

void search_part_print(const struct search_part *s, struct str *out)
{
    AUTO(str) struct str json = {0};
    str_add(out, PART_HEAD "\npart %u %u\nmode %s", s->part.number, s->part.of, s->mode);
    put(out, s->trace_events);
    str_char(out, '\n');
    for (uint32_t i = 0; i < s->rows.len; i++)
        put_row(out, &s->rows.at[i]);
    finding_list_print(&s->list, &json);
    str_add(out, "list");
    put(out, json.len);
    str_char(out, '\n');
    str_bytes(out, json.at, json.len);
}

/* ---- and back --------------------------------------------------------------------------- */

/* What is left of a text that nobody vouches for. */
struct reading {
    const char *at, *end;
    bool is_bad;
};

static bool take_word(struct reading *r, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

static void expect(struct reading *r, const char *word)
{
    r->is_bad |= !take_word(r, word);
}

/* A blank and a number of at most this. */
static uint64_t take(struct reading *r, uint64_t most)
{
    uint64_t n = 0;
    const char *first;
    expect(r, " ");
    for (first = r->at; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        unsigned digit = (unsigned)(*r->at - '0');
        r->is_bad |= n > (UINT64_MAX - digit) / 10;
        n = 10 * n + digit;
    }
    r->is_bad |= r->at == first || n > most;
    return r->is_bad ? 0 : n;
}

static uint32_t take32(struct reading *r, uint32_t most)
{
    return (uint32_t)take(r, most);
}

static struct part_row take_row(struct reading *r)
{
    struct part_row row = {.finding = NONE};
    row.at.search = take32(r, NONE);
    row.pattern = (enum pattern_id)take(r, PATTERN_COUNT - 1);
    row.at.event = take32(r, NONE);
    row.at.cell = take32(r, NONE);
    row.at.key = take(r, UINT64_MAX);
    row.at.way = take(r, UINT64_MAX);
    row.answer = (enum answer)take(r, ANSWER_UNKNOWN);
    row.at.is_refused = take(r, 1);
    row.at.refuter = (enum refuter)take(r, REFUTER_CLOSURE);
    expect(r, "\n");
    return row;
}

static void take_yes(struct reading *r, struct part_row *row)
{
    struct query *q = &row->query;
    row->finding = take32(r, NONE - 1);
    q->kind = (enum query_kind)take(r, UINT8_MAX);
    q->adjacent = take32(r, NONE);
    q->ordered = take32(r, QUERY_MAX);
    q->count = take32(r, QUERY_MAX);
    for (uint32_t i = 0; i < q->count; i++)
        q->number[i] = take(r, UINT64_MAX);
    row->count = take32(r, QUERY_MAX);
    for (uint32_t i = 0; i < row->count; i++)
        row->sites[i] = take32(r, NONE);
    expect(r, "\n");
}

static void take_mode(struct reading *r, struct search_part *out)
{
    expect(r, "mode ");
    for (int i = 0; i < MODE_COUNT && !out->mode; i++)
        if (take_word(r, mode_text((enum mode)i)))
            out->mode = mode_text((enum mode)i);
    out->trace_events = take(r, UINT64_MAX);
    expect(r, "\n");
    r->is_bad |= !out->mode;
}

static void take_rows(struct reading *r, struct search_part *out)
{
    while (!r->is_bad && take_word(r, "row")) {
        struct part_row row = take_row(r);
        if (take_word(r, "yes"))
            take_yes(r, &row);
        r->is_bad |= (row.answer == ANSWER_YES) != (row.finding != NONE);
        vec_push(&out->rows, row);
    }
}

/* Each yes has its finding. */
static bool has_findings(const struct search_part *s)
{
    for (uint32_t i = 0; i < s->rows.len; i++)
        if (s->rows.at[i].finding != NONE && s->rows.at[i].finding >= s->list.findings.len)
            return false;
    return true;
}

int search_part_parse(struct search_part *out, struct text text, struct err *err)
{
    AUTO(search_part) struct search_part s = {0};
    struct reading r = {text.at, text.at + text.len, false};
    expect(&r, PART_HEAD "\npart");
    s.part.number = take32(&r, PREDICT_PARTS_MAX);
    s.part.of = take32(&r, PREDICT_PARTS_MAX);
    expect(&r, "\n");
    r.is_bad |= s.part.number == 0 || s.part.number > s.part.of;
    take_mode(&r, &s);
    take_rows(&r, &s);
    expect(&r, "list");
    uint64_t len = take(&r, UINT32_MAX);
    expect(&r, "\n");
    if (r.is_bad || len != (uint64_t)(r.end - r.at))
        return err_set(err, "not a part of a search, damaged, or of another version of Heddle");
    if (finding_list_parse(&s.list, (struct text){r.at, (uint32_t)len}, err) < 0)
        return -1;
    if (!has_findings(&s))
        return err_set(err, "a finding is missing");
    *out = s;
    s = (struct search_part){0};
    return 0;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* A row, and whose it is. */
struct place_of_row {
    const struct part_row *row;
    struct search_part *part;
};

/* As the whole search would have come to them. */
static int by_search(const void *left, const void *right)
{
    const struct place_of_row *x = left, *y = right;
    const struct asked_at *a = &x->row->at, *b = &y->row->at;
    if (a->search != b->search)
        return a->search < b->search ? -1 : 1;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    if (x->part->part.number != y->part->part.number)
        return x->part->part.number < y->part->part.number ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Would the whole search have asked this, too? */
static bool is_asked(struct tries *t, const struct part_row *row)
{
    const struct asked_at *at = &row->at;
    if (at->key == 0)
        return true;
    if (!tries_left_of_way(t, at->key, at->way))
        return false;
    enum answer said = at->is_refused ? ANSWER_YES : row->answer;
    tries_note(t, at->key, said);
    tries_note(t, at->way, said);
    return true;
}

static int check_together(const struct search_part *parts, uint32_t count, struct err *err)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct search_part *s = &parts[i], *first = &parts[0];
        if (s->part.of != first->part.of || s->trace_events != first->trace_events ||
            s->mode != first->mode)
            return err_set(err, "parts of different searches");
        uint64_t bit = 1ULL << (s->part.number - 1);
        if (seen & bit)
            return err_set(err, "part %u of %u is there twice", s->part.number, s->part.of);
        seen |= bit;
    }
    for (uint32_t i = 0; count > 0 && i < parts[0].part.of; i++)
        if (!(seen >> i & 1))
            return err_set(err, "part %u of %u is missing", i + 1, parts[0].part.of);
    return count > 0 ? 0 : err_set(err, "no part");
}

static void take_list(struct finding_list *to, struct finding_list *from)
{
    to->program = from->program;
    to->outcome = from->outcome;
    to->events = from->events;
    to->threads = from->threads;
    for (uint32_t i = 0; i < from->accounts.len; i++)
        account_add(to, &from->accounts.at[i]);
    for (uint32_t i = 0; i < from->unseen.len; i++)
        unseen_add(to, from->unseen.at[i]);
    arena_adopt(&to->mem, &from->mem);
}

static void join_row(struct gathering *g, const struct place_of_row *x)
{
    bool is_yes = x->row->finding != NONE;
    struct finding *f = is_yes ? &x->part->list.findings.at[x->row->finding] : NULL;
    if (gather(g, x->row, f))
        vec_push(&g->out->predicted, (struct predicted){.query = x->row->query});
    if (f)
        *f = finding_new(f->pattern);
}

/* The whole search would have left it alone. */
static void drop_row(struct gathering *g, const struct place_of_row *x)
{
    struct account *a = account_get(&g->out->list, x->row->pattern);
    count_refuter(&a->by, x->row->at.refuter, -1);
}

int predict_join(struct search_part *parts, uint32_t count, struct findings *out,
                 struct err *err)
{
    VEC(struct place_of_row) all = {0};
    struct gathering g;
    struct tries tries = {0};
    if (check_together(parts, count, err) < 0)
        return -1;
    gather_begin(&g, out);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < parts[i].rows.len; k++)
            vec_push(&all, (struct place_of_row){&parts[i].rows.at[k], &parts[i]});
        take_list(&out->list, &parts[i].list);
    }
    if (all.len > 0)
        qsort(all.at, all.len, sizeof *all.at, by_search);
    for (uint32_t i = 0; i < all.len; i++)
        if (is_asked(&tries, all.at[i].row))
            join_row(&g, &all.at[i]);
        else
            drop_row(&g, &all.at[i]);
    gather_end(&g);
    map_done(&tries.by_key);
    vec_done(&all);
    return 0;
}
