/* SPDX-License-Identifier: Apache-2.0
 *
 * tell: what is said of a check that can fail: which reads it depends on, what they see in that
 * order, who wrote it, and what they saw in the recorded run. */
#include "symbolic/must-order.h"
#include "symbolic/symbolic.h"
#include "symbolic/words.h"

#include <string.h>

enum { READS_MAX = 3, KEYS_MAX = 10 };

/* One step that the condition depends on, in the order of a witness. */
struct key {
    node_id node;
    const struct reading *reading; /* NULL: a write */
    node_id seen;                  /* by a read; NONE: what was there at the start */
    term_bits value, recorded;     /* read or written */
    unsigned width;
    uint32_t when;
    bool is_cause; /* the condition itself depends on this read */
};

struct telling {
    const struct problem *p;
    const struct model *m;
    const struct goal *g;
    struct words words;
    struct arena *mem;
    struct term_env *env; /* values in the witness */
    uint32_t *when;       /* by node: from 1; 0: it does not happen */
    node_id *seen;        /* by reading: the write of its first place */
    node_id *rival;       /* by reading: the last write of another thread there, or NONE */
    struct key key[KEYS_MAX];
    uint32_t count;
};

/* ---- what it depends on ------------------------------------------------------------------ */

static bool add_key(struct telling *t, struct key k)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->key[i].node == k.node && !t->key[i].reading == !k.reading)
            return false;
    if (t->count == KEYS_MAX || t->when[k.node] == 0)
        return false;
    k.when = t->when[k.node];
    t->key[t->count++] = k;
    return true;
}

/* The part of a write that a reading sees first. */
static const struct part *part_seen(const struct telling *t, node_id write,
                                    const struct reading *r)
{
    const struct node *n = &t->p->nodes.at[write];
    for (uint32_t i = 0; i < n->count; i++) {
        const struct part *part = &t->p->parts.at[n->first + i];
        if (part->writes && part->place == t->p->parts.at[r->first].place)
            return part;
    }
    return NULL;
}

static void add_causes(struct telling *t, term of, uint16_t thr, bool is_cause);

static void add_write(struct telling *t, node_id write, const struct reading *r, bool follow)
{
    const struct part *part = part_seen(t, write, r);
    struct key k = {.node = write};
    if (!part || part->write == NONE || !term_eval(t->env, part->write, &k.value))
        return;
    k.width = term_width(t->p->pool, part->write);
    k.recorded = part->wrote;
    if (add_key(t, k) && follow && k.value != k.recorded)
        add_causes(t, part->write, t->p->nodes.at[write].thr, false);
}

/* A read that the term depends on, what it sees, and where that came from. */
static void add_cause(struct telling *t, node_id node, uint32_t reading, bool is_cause)
{
    const struct reading *r = &t->p->readings.at[reading];
    struct key k = {.node = node,
                    .reading = r,
                    .seen = t->seen[reading],
                    .recorded = r->saw,
                    .width = term_width(t->p->pool, r->var),
                    .is_cause = is_cause};
    if (!term_eval(t->env, r->var, &k.value) || !add_key(t, k))
        return;
    if (t->rival[reading] != NONE && t->rival[reading] != k.seen && k.value != k.recorded)
        add_write(t, t->rival[reading], r, false);
    if (k.seen != NONE)
        add_write(t, k.seen, r, true);
}

/* The latest reads first. */
static void add_causes(struct telling *t, term of, uint16_t thr, bool is_cause)
{
    const struct path *path = &t->p->paths.at[thr];
    uint32_t found = 0;
    bool *part = term_parts(t->p->pool, of);
    for (uint32_t i = path->nodes.len; i-- > 0 && found < READS_MAX;) {
        const struct node *n = &t->p->nodes.at[path->nodes.at[i]];
        for (uint32_t k = 0; t->when[path->nodes.at[i]] && k < n->read_count; k++)
            if (part[t->p->readings.at[n->read_first + k].var]) {
                add_cause(t, path->nodes.at[i], n->read_first + k, is_cause);
                found++;
            }
    }
    free(part);
}

/* Who wrote what each read sees. */
static void follow(struct telling *t, node_id id, node_id *writer, node_id *other)
{
    const struct node *n = &t->p->nodes.at[id];
    for (uint32_t i = 0; i < n->read_count; i++) {
        place_id x = t->p->parts.at[t->p->readings.at[n->read_first + i].first].place;
        bool is_own = writer[x] == NONE || t->p->nodes.at[writer[x]].thr == n->thr;
        t->seen[n->read_first + i] = writer[x];
        t->rival[n->read_first + i] = is_own ? other[x] : writer[x];
    }
    for (uint32_t i = 0; i < n->count; i++) {
        const struct part *part = &t->p->parts.at[n->first + i];
        if (!part->writes)
            continue;
        node_id before = writer[part->place];
        if (before != NONE && t->p->nodes.at[before].thr != n->thr)
            other[part->place] = before;
        writer[part->place] = id;
    }
}

static int by_when(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return (x->when > y->when) - (x->when < y->when);
}

static node_id *nothing(uint32_t count)
{
    node_id *out = mem_get((count + 1) * sizeof *out);
    memset(out, 0xff, (count + 1) * sizeof *out);
    return out;
}

static void find_keys(struct telling *t, const struct sym_witness *w)
{
    struct err ignored;
    const struct node *check = &t->p->nodes.at[t->g->node[0]];
    node_id *writer = nothing(t->p->places.len), *other = nothing(t->p->places.len);
    CHECK(problem_evaluate(t->p, t->g, w, t->env, &ignored));
    t->when = mem_zeroed(t->p->nodes.len + 1, sizeof *t->when);
    t->seen = nothing(t->p->readings.len);
    t->rival = nothing(t->p->readings.len);
    for (uint32_t i = 0; i < w->from + w->order.len; i++) {
        node_id id = i < w->from ? i : w->order.at[i - w->from];
        t->when[id] = i + 1;
        follow(t, id, writer, other);
    }
    add_causes(t, check->cond, check->thr, true);
    qsort(t->key, t->count, sizeof *t->key, by_when);
    free(writer);
    free(other);
    free(t->when);
    free(t->seen);
    free(t->rival);
}

/* ---- events of the query ----------------------------------------------------------------- */

static void add_number(struct query *q, uint64_t number)
{
    for (uint32_t i = 0; i < q->count; i++)
        if (q->number[i] == number)
            return;
    q->number[q->count++] = number;
}

static bool is_same_range(const struct telling *t, node_id a, node_id b)
{
    const struct node *x = &t->p->nodes.at[a], *y = &t->p->nodes.at[b];
    return x->thr == y->thr && x->site == y->site && y->event == x->event + 1 &&
           x->op == NODE_ACCESS && y->op == NODE_ACCESS && x->count > 0 && y->count > 0 &&
           t->p->parts.at[x->first].writes == t->p->parts.at[y->first].writes;
}

/* Where memory is copied or filled, only the window has an event for each piece of it: a run
 * that follows the witness does not come by. */
static bool is_piece(const struct telling *t, node_id n)
{
    return (n > 0 && is_same_range(t, n - 1, n)) ||
           (n + 1 < t->p->nodes.len && is_same_range(t, n, n + 1));
}

/* Does it come before or behind all the others in any case? Then it orders nothing. */
static bool is_anyway(const struct telling *t, const struct must_order *order, node_id n)
{
    bool has_other = false;
    for (uint32_t i = 0; i < t->count; i++) {
        node_id other = t->key[i].node;
        if (t->p->nodes.at[other].thr == t->p->nodes.at[n].thr)
            continue;
        has_other = true;
        if (!must_come_first(order, t->p, n, other) && !must_come_first(order, t->p, other, n))
            return false;
    }
    return has_other;
}

static void make_query(const struct telling *t, struct query *q)
{
    struct must_order order;
    *q = (struct query){.kind = QUERY_ORDER};
    musts_init(&order, t->p);
    for (uint32_t i = 0; i < t->count; i++)
        if (!is_piece(t, t->key[i].node) && !is_anyway(t, &order, t->key[i].node))
            add_number(q, t->p->nodes.at[t->key[i].node].event);
    musts_done(&order);
    if (q->count == 0 && t->p->nodes.at[t->g->node[0]].event != NO_EVENT)
        add_number(q, t->p->nodes.at[t->g->node[0]].event);
}

/* ---- words ------------------------------------------------------------------------------- */

static struct place place_of(struct telling *t, uint32_t site)
{
    return place_of_site(t->mem, &t->m->trace->sites.at[site]);
}

/* "the read of 'x' at a.c:9 sees 2, which T1 wrote at a.c:20 (1 in the recorded run)" */
static void add_read(struct str *out, const struct telling *t, const struct key *k)
{
    str_add(out, "the read of '");
    words_add_object(out, &t->words, k->node);
    str_add(out, "' at ");
    words_add_site(out, &t->words, k->node);
    str_add(out, " sees ");
    words_add_value(out, &t->words, k->value, k->width);
    if (k->seen != NONE) {
        str_add(out, ", which ");
        words_add_thread(out, &t->words, k->seen);
        str_add(out, " wrote at ");
        words_add_site(out, &t->words, k->seen);
    }
    if (k->value != k->recorded) {
        str_add(out, " (");
        words_add_value(out, &t->words, k->recorded, k->width);
        str_add(out, " in the recorded run)");
    }
}

static const struct {
    enum pattern_id pattern;
    const char *text;
} kinds[IR_WHY_COUNT] = {
    [IR_ASSERT] = {PATTERN_ASSERTION, "the assertion can fail"},
    [IR_ORACLE] = {PATTERN_ASSERTION, "the condition that the source expects can fail"},
    [IR_NULL] = {PATTERN_NULL_DEREFERENCE, "the pointer can be null"},
    [IR_BOUNDS] = {PATTERN_OUT_OF_BOUNDS, "the index can be out of bounds"},
    [IR_DIVISOR] = {PATTERN_DIVISION_BY_ZERO, "the divisor can be zero"},
};

enum pattern_id symbolic_pattern(enum ir_why why)
{
    return kinds[why].text ? kinds[why].pattern : PATTERN_ASSERTION;
}

static const char *make_id(struct telling *t, enum pattern_id pattern)
{
    AUTO(str) struct str key = {0};
    const struct def_site *s = &t->m->trace->sites.at[words_site(&t->words, t->g->node[0])];
    str_add(&key, "%.*s %.*s", (int)s->function.len, s->function.at, (int)s->name.len,
            s->name.at);
    for (uint32_t i = 0; i < t->count; i++) {
        if (!t->key[i].is_cause)
            continue;
        str_char(&key, ' ');
        words_add_name(&key, &t->words, t->key[i].node);
    }
    uint64_t hash = hash_bytes(key.at, key.len);
    key.len = 0;
    str_add(&key, "%s-%08x", pattern_text(pattern), (uint32_t)(hash ^ hash >> 32));
    return str_move(t->mem, &key);
}

/* ---- steps ------------------------------------------------------------------------------- */

static uint32_t add_thread(struct telling *t, struct finding *f, uint32_t *known, uint32_t thr)
{
    ev_id create = t->m->threads[thr].create;
    uint32_t site = create == NONE ? NONE : model_site(t->m, create);
    return finding_add_thread(f, known, t->m->trace, thr, site, t->mem);
}

static void add_step(struct telling *t, struct finding *f, uint32_t *known, const struct key *k)
{
    AUTO(str) struct str text = {0};
    const struct node *node = &t->p->nodes.at[k->node];
    struct finding_step s = {.thread = add_thread(t, f, known, node->thr),
                             .place = place_of(t, node->site),
                             .action = k->reading ? ACTION_READ : ACTION_WRITE,
                             .event = node->event,
                             .is_key = true};
    words_add_object(&text, &t->words, k->node);
    s.object = str_move(t->mem, &text);
    words_add_value(&text, &t->words, k->value, k->width);
    s.value = str_move(t->mem, &text);
    vec_push(&f->steps, s);
    vec_push(&f->sites, s.place);
}

static void add_steps(struct telling *t, struct finding *f)
{
    uint32_t known[KEYS_MAX + 1];
    vec_push(&f->sites, place_of(t, words_site(&t->words, t->g->node[0])));
    for (uint32_t i = 0; i < t->count; i++)
        add_step(t, f, known, &t->key[i]);
}

void symbolic_tell(const struct problem *p, const struct model *m, const struct goal *g,
                   const struct sym_witness *w, struct arena *mem, struct query *query,
                   struct finding *out)
{
    AUTO(term_env) struct term_env *env = term_env_new(p->pool);
    struct telling t = {.p = p, .m = m, .g = g, .words = {p, m}, .mem = mem, .env = env};
    AUTO(str) struct str text = {0};
    const struct node *check = &p->nodes.at[g->node[0]];
    enum pattern_id pattern = symbolic_pattern(check->why);
    find_keys(&t, w);
    make_query(&t, query);
    *out = finding_new(pattern);
    out->id = make_id(&t, pattern);
    out->doubt = "nothing was run: only the evaluator has executed it";
    for (uint32_t i = 0; i < t.count; i++) {
        if (!t.key[i].is_cause)
            continue;
        str_add(&text, text.len ? "; " : "");
        add_read(&text, &t, &t.key[i]);
    }
    out->why = str_move(t.mem, &text);
    words_add_site(&text, &t.words, g->node[0]);
    str_add(&text, ": %s in ", kinds[check->why].text ? kinds[check->why].text : "it can fail");
    words_add_thread(&text, &t.words, g->node[0]);
    if (*out->why)
        str_add(&text, ": %s", out->why);
    out->message = str_move(t.mem, &text);
    add_steps(&t, out);
}
