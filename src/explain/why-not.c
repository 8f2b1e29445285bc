/* SPDX-License-Identifier: Apache-2.0
 *
 * why-not: why two lines of the source are not reported. All pairs of events at the two lines
 * that touch the same memory are looked at, in the order in which a person would ask: do both
 * hold a lock; is one needed for the other to be reached; and if neither, what prediction says.
 * The reasons come from code of their own: prediction says yes or no, never why. */
#include "explain/why-not.h"

#include "predict/predict.h"

#include <string.h>

enum {
    PAIRS_MAX = 20000, /* that are looked at */
    TRIES_MAX = 8,     /* of the same threads and locks */
    CHAINS_MAX = 64,   /* that are looked for */
    NAMES_MAX = 3,     /* of what a line touches, in a sentence */
};

static const char *const words[] = {
    "not-instrumented", "not-executed", "one-thread", "not-shared", "reads-only", "atomic",
    "ignored",          "common-lock",  "ordered",    "excluded",   "undecided",  "possible",
};

const char *why_text(enum why why)
{
    return words[why];
}

typedef VEC(ev_id) events;

struct search {
    const struct why_opts *o;
    struct why_not *out;
    struct trace *t;
    struct model *m;
    struct predictor *p;
    events at[2];     /* accesses at each place */
    bool *ignored;    /* by event */
    struct map tries; /* same threads, same locks */
    uint32_t chains;
    uint64_t reads; /* pairs of which neither writes */
};

/* ---- the places ------------------------------------------------------------------------ */

/* "src/bank.c" is also called bank.c. */
static bool is_file(struct def_text file, const char *name)
{
    size_t len = strlen(name);
    if (file.len < len || memcmp(file.at + file.len - len, name, len) != 0)
        return false;
    return file.len == len || file.at[file.len - len - 1] == '/';
}

static bool is_at(const struct search *s, ev_id e, const struct why_place *place)
{
    const struct def_site *site = &s->t->sites.at[model_site(s->m, e)];
    return site->line == place->line && is_file(site->file, place->file);
}

static void find_events(struct search *s)
{
    for (ev_id e = 0; e < s->m->ev_count; e++)
        for (unsigned i = 0; i < 2 && model_touches_itself(s->m, e); i++)
            if (is_at(s, e, &s->o->place[i]))
                vec_push(&s->at[i], e);
}

/* ---- answers --------------------------------------------------------------------------- */

static struct why_answer *answer_of(struct search *s, enum why why, const struct str *sentence)
{
    for (uint32_t i = 0; i < s->out->answers.len; i++) {
        struct why_answer *a = &s->out->answers.at[i];
        if (a->why == why && strcmp(a->sentence, sentence->at) == 0)
            return a;
    }
    const char *kept = arena_text(&s->out->mem, sentence->at, sentence->len);
    vec_push(&s->out->answers, (struct why_answer){.why = why, .sentence = kept});
    return &s->out->answers.at[s->out->answers.len - 1];
}

static void answer(struct search *s, enum why why, const char *sentence)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s", sentence);
    answer_of(s, why, &text)->pairs++;
}

/* What happens at a place besides accesses: "acquire" */
static const char *other_kind(const struct search *s, const struct why_place *place)
{
    for (ev_id e = 0; e < s->m->ev_count; e++)
        if (ev_acts_on(s->m->ev[e].kind) >= ON_SYNC && is_at(s, e, place))
            return ev_text(s->m->ev[e].kind);
    return NULL;
}

static void answer_missing(struct search *s, const struct why_place *place)
{
    AUTO(str) struct str text = {0};
    const char *other = other_kind(s, place);
    enum why why = WHY_NOT_EXECUTED;
    if (other)
        str_add(&text, "%s:%u touches no memory itself in this run: all it does is %s",
                place->file, place->line, other);
    else if (s->o->static_of)
        why = s->o->static_of(s->o->arg, place, &text);
    else
        str_add(&text, "the run has no access at %s:%u", place->file, place->line);
    answer_of(s, why, &text);
}

/* ---- two places that do not meet ------------------------------------------------------- */

static bool is_one_thread(const struct search *s)
{
    thr_id first = s->m->ev[s->at[0].at[0]].thr;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < s->at[side].len; i++)
            if (s->m->ev[s->at[side].at[i]].thr != first)
                return false;
    return true;
}

/* "'a', 'b' and others" */
static void add_touched(struct str *out, const struct search *s, unsigned side)
{
    struct map seen = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->at[side].len && count <= NAMES_MAX; i++) {
        cell_id c = model_cells(s->m, s->at[side].at[i]).first;
        uint32_t *slot = map_at(&seen, c);
        if (*slot != NONE)
            continue;
        *slot = 1;
        if (count++ == NAMES_MAX) {
            str_add(out, " and others");
            break;
        }
        str_add(out, count > 1 ? ", '" : "'");
        cell_name(out, s->m, c);
        str_char(out, '\'');
    }
    map_done(&seen);
}

static void answer_apart(struct search *s)
{
    AUTO(str) struct str text = {0};
    if (is_one_thread(s)) {
        str_add(&text, "only one thread comes to both in this run: ");
        thread_name(&text, s->t, s->m->ev[s->at[0].at[0]].thr);
        answer_of(s, WHY_ONE_THREAD, &text);
        return;
    }
    str_add(&text, "different threads never touch the same memory there: the first touches ");
    add_touched(&text, s, 0);
    str_add(&text, ", the second ");
    add_touched(&text, s, 1);
    answer_of(s, WHY_NOT_SHARED, &text);
}

/* ---- one pair -------------------------------------------------------------------------- */

static void find_common(const struct model *m, ev_id a, ev_id b, common_locks *out)
{
    uint32_t n = m->idx[a], k = m->idx[b];
    for (uint32_t i = model_held(m, m->ev[a].thr, n); i != NONE; i = model_held_next(m, i, n))
        for (uint32_t j = model_held(m, m->ev[b].thr, k); j != NONE;
             j = model_held_next(m, j, k)) {
            ev_id x = m->acquires[i], y = m->acquires[j];
            if (m->obj[x] == m->obj[y] && !(m->ev[x].detail & m->ev[y].detail & FLAG(SHARED)))
                vec_push(out, (struct common_lock){{x, y}});
        }
}

static bool answer_locked(struct search *s, ev_id a, ev_id b)
{
    common_locks locks = {0};
    AUTO(str) struct str text = {0};
    find_common(s->m, a, b, &locks);
    for (uint32_t i = 0; i < locks.len; i++) {
        str_add(&text, i ? ", '" : "both hold '");
        sync_name(&text, s->m, s->m->obj[locks.at[i].acquire[0]]);
        str_char(&text, '\'');
    }
    bool found = locks.len > 0;
    if (found) {
        struct why_answer *x = answer_of(s, WHY_COMMON_LOCK, &text);
        if (x->pairs++ == 0) {
            tell_pair(s->out, x, s->m, a, b);
            tell_locks(s->out, x, s->m, &locks);
        }
    }
    vec_done(&locks);
    return found;
}

/* Of two events the later one in the trace may need the other, never the reverse. */
static bool find_chain(struct search *s, ev_id first, ev_id second, enum chain_level *level,
                       chain *out)
{
    bool firm = !(s->t->head.flags & TRACE_BRANCHES);
    for (*level = CHAIN_PLAIN; *level <= CHAIN_RECORDED; ++*level)
        if (chain_find(s->m, first, second, *level, firm, out))
            return true;
    return false;
}

static void answer_refused(struct search *s, ev_id first, ev_id second)
{
    AUTO(str) struct str text = {0}, kinds = {0};
    chain links = {0};
    enum chain_level level = CHAIN_PLAIN;
    enum why why = WHY_EXCLUDED;
    bool found = s->chains++ < CHAINS_MAX && find_chain(s, first, second, &level, &links);
    if (found)
        add_chain_kinds(&kinds, s->m, &links);
    if (found && level < CHAIN_RECORDED) {
        why = WHY_ORDERED;
        str_add(&text, "one always comes before the other: %s", kinds.at);
    } else {
        str_add(&text, "locks, semaphores and the values that were read leave no order in "
                       "which both could be next");
        if (found)
            str_add(&text, "; in this run the order came from %s", kinds.at);
    }
    if (level > CHAIN_SYNC && s->o->deeper)
        s->o->deeper(s->o->arg, s->m, first, second, &why, &text);
    struct why_answer *x = answer_of(s, why, &text);
    if (x->pairs++ == 0 && found && why != WHY_POSSIBLE)
        tell_chain(s->out, x, s->m, first, second, &links);
    else if (x->pairs == 1)
        tell_pair(s->out, x, s->m, first, second);
    vec_done(&links);
}

static void answer_open(struct search *s, enum why why, ev_id a, ev_id b)
{
    AUTO(str) struct str text = {0};
    if (why == WHY_POSSIBLE)
        str_add(&text, "another schedule of this run's events shows both at once");
    else if (*predict_unmodelled(s->p))
        str_add(&text, "not decided: the run has %s, which are not modelled",
                predict_unmodelled(s->p));
    else if (*predict_broken(s->p))
        str_add(&text, "not decided: the trace is not that of an execution: %s",
                predict_broken(s->p));
    else
        str_add(&text, "not decided: the search met its limit");
    if (why == WHY_UNDECIDED && s->o->deeper)
        s->o->deeper(s->o->arg, s->m, a, b, &why, &text);
    struct why_answer *x = answer_of(s, why, &text);
    if (x->pairs++ == 0)
        tell_pair(s->out, x, s->m, a, b);
}

static uint64_t pair_key(const struct search *s, ev_id a, ev_id b)
{
    const struct model *m = s->m;
    uint64_t key = (uint64_t)m->ev[a].thr << 32 | m->ev[b].thr;
    ev_id both[] = {a, b};
    for (unsigned side = 0; side < 2; side++) {
        ev_id e = both[side];
        uint32_t n = m->idx[e];
        for (uint32_t i = model_held(m, m->ev[e].thr, n); i != NONE;
             i = model_held_next(m, i, n))
            key = hash_u64(key + m->obj[m->acquires[i]] + 1);
        key = hash_u64(key + side);
    }
    return key;
}

static void answer_pair(struct search *s, ev_id a, ev_id b)
{
    const struct model *m = s->m;
    if (model_is_atomic(m, a) && model_is_atomic(m, b)) {
        answer(s, WHY_ATOMIC, "both are atomic operations: that is no race");
    } else if (s->ignored[a] || s->ignored[b] || model_is_benign(m, model_cells(m, a).first)) {
        answer(s, WHY_IGNORED, "the source marks it as ignored, or as a benign race");
    } else if (!answer_locked(s, a, b)) {
        struct query q = {
            .kind = QUERY_RACE, .count = 2, .number = {model_number(m, a), model_number(m, b)}};
        enum answer said = predict(s->p, &q, NULL);
        if (said == ANSWER_NO)
            answer_refused(s, a < b ? a : b, a < b ? b : a);
        else
            answer_open(s, said == ANSWER_YES ? WHY_POSSIBLE : WHY_UNDECIDED, a, b);
    }
}

/* ---- all pairs ------------------------------------------------------------------------- */

static void consider(struct search *s, ev_id a, ev_id b)
{
    bool conflict = model_writes(s->m, a) || model_writes(s->m, b);
    s->reads += !conflict;
    s->out->pairs += conflict;
    if (!conflict)
        return;
    uint32_t *tried = map_at(&s->tries, pair_key(s, a, b));
    *tried = *tried == NONE ? 0 : *tried;
    if (s->out->looked >= PAIRS_MAX || *tried >= TRIES_MAX)
        return;
    ++*tried;
    s->out->looked++;
    answer_pair(s, a, b);
}

struct entry {
    ev_id e;
    uint32_t next; /* of the same cell, or NONE */
};

/* By cell, so that events that never meet cost nothing; a pair that meets in several cells is
 * seen in the first of them. */
static void find_pairs(struct search *s)
{
    const struct model *m = s->m;
    VEC(struct entry) entries = {0};
    uint32_t *last = mem_get((m->cell_count + 1) * sizeof *last);
    memset(last, 0xff, (m->cell_count + 1) * sizeof *last);
    for (uint32_t i = 0; i < s->at[1].len; i++) {
        struct span cells = model_cells(m, s->at[1].at[i]);
        for (cell_id c = cells.first; c < cells.first + cells.count; c++) {
            vec_push(&entries, (struct entry){s->at[1].at[i], last[c]});
            last[c] = entries.len - 1;
        }
    }
    bool same = s->o->place[0].line == s->o->place[1].line &&
                strcmp(s->o->place[0].file, s->o->place[1].file) == 0;
    for (uint32_t i = 0; i < s->at[0].len; i++) {
        ev_id a = s->at[0].at[i];
        struct span cells = model_cells(m, a);
        for (cell_id c = cells.first; c < cells.first + cells.count; c++)
            for (uint32_t j = last[c]; j != NONE; j = entries.at[j].next) {
                ev_id b = entries.at[j].e;
                bool is_first = c == cells.first || c == model_cells(m, b).first;
                if (is_first && m->ev[a].thr != m->ev[b].thr && (!same || a < b))
                    consider(s, a, b);
            }
    }
    free(last);
    vec_done(&entries);
}

/* ---- marks in the source --------------------------------------------------------------- */

/* How deep a thread is in what is ignored: all, or what it reads or writes. */
struct depths {
    uint32_t all, reads, writes;
};

static void mark_step(struct depths *d, uint32_t mark)
{
    d->all += mark == WORD_VALUE(MARK, IGNORE_BEGIN);
    d->all -= d->all > 0 && mark == WORD_VALUE(MARK, IGNORE_END);
    d->reads += mark == WORD_VALUE(MARK, READS_BEGIN);
    d->reads -= d->reads > 0 && mark == WORD_VALUE(MARK, READS_END);
    d->writes += mark == WORD_VALUE(MARK, WRITES_BEGIN);
    d->writes -= d->writes > 0 && mark == WORD_VALUE(MARK, WRITES_END);
}

static void find_ignored(struct search *s)
{
    const struct model *m = s->m;
    s->ignored = mem_zeroed(m->ev_count + 1, sizeof *s->ignored);
    for (thr_id t = 0; t < m->thread_count; t++) {
        struct depths d = {0};
        for (uint32_t i = 0; i < m->threads[t].len; i++) {
            ev_id e = model_at(m, t, i);
            if (m->ev[e].kind == EV_MARK)
                mark_step(&d, m->obj[e]);
            s->ignored[e] = d.all > 0 || (model_writes(m, e) ? d.writes : d.reads) > 0;
        }
    }
}

static int by_why(const void *left, const void *right)
{
    const struct why_answer *a = left, *b = right;
    if (a->why != b->why)
        return a->why > b->why ? -1 : 1;
    return a->pairs != b->pairs ? (a->pairs > b->pairs ? -1 : 1)
                                : strcmp(a->sentence, b->sentence);
}

static void search(struct search *s)
{
    find_ignored(s);
    find_events(s);
    for (unsigned i = 0; i < 2; i++)
        if (s->at[i].len == 0)
            answer_missing(s, &s->o->place[i]);
    if (s->at[0].len > 0 && s->at[1].len > 0) {
        find_pairs(s);
        if (s->out->pairs == 0 && s->reads > 0)
            answer(s, WHY_READS_ONLY, "both only read the same memory: that is no race");
        else if (s->out->pairs == 0)
            answer_apart(s);
    }
    if (s->out->answers.len > 1)
        qsort(s->out->answers.at, s->out->answers.len, sizeof *s->out->answers.at, by_why);
}

int explain_why_not(struct why_not *out, const struct why_opts *opts, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    if (trace_open(&t, opts->trace, err) < 0)
        return -1;
    AUTO(model) struct model *m = model_build(&t, &(struct model_opts){.keep_all = true}, err);
    enum mode mode = t.head.flags & TRACE_BRANCHES ? MODE_SOUND : MODE_CLASSIC;
    AUTO(predictor) struct predictor *p = m ? predictor_new(m, mode, err) : NULL;
    if (!p)
        return err_in(err, "%s", opts->trace);
    struct search s = {.o = opts, .out = out, .t = &t, .m = m, .p = p};
    search(&s);
    vec_done(&s.at[0]);
    vec_done(&s.at[1]);
    map_done(&s.tries);
    free(s.ignored);
    return 0;
}

void why_not_done(struct why_not *w)
{
    for (uint32_t i = 0; i < w->answers.len; i++)
        vec_done(&w->answers.at[i].events);
    vec_done(&w->answers);
    arena_done(&w->mem);
}
