/* SPDX-License-Identifier: Apache-2.0
 *
 * tell: what is said of a check that can fail: which reads it depends on, what they see in that
 * order, who wrote it, and what they saw in the recorded run. */
#include "symbolic/symbolic.h"

#include <inttypes.h>
#include <string.h>

enum { READS_MAX = 3 };

/* A read that the condition depends on, in the order of a witness. */
struct key_read {
    node_id read, write; /* write NONE: what was there at the start */
    const struct reading *reading;
    term_bits sees;
    bool differs;
    uint32_t when;
};

struct telling {
    const struct problem *p;
    const struct model *m;
    const struct goal *g;
    struct arena *mem;
    struct key_read key[READS_MAX];
    uint32_t count;
};

/* ---- what it depends on ------------------------------------------------------------------ */

static bool depends(const struct term_pool *pool, term t, term var)
{
    const struct term_node *n = term_at(pool, t);
    if (t == var)
        return true;
    if (t < var) /* children have smaller ids */
        return false;
    const term child[3] = {n->a, n->b, n->c};
    for (unsigned i = 0; i < term_child_count(n); i++)
        if (depends(pool, child[i], var))
            return true;
    return false;
}

/* Those that see something else than in the trace come first, then the latest. */
static bool is_better(const struct key_read *a, const struct key_read *b)
{
    return a->differs != b->differs ? a->differs : a->when > b->when;
}

static void add_key(struct telling *t, struct key_read k)
{
    if (t->count < READS_MAX) {
        t->key[t->count++] = k;
        return;
    }
    uint32_t worst = 0;
    for (uint32_t i = 1; i < t->count; i++)
        if (is_better(&t->key[worst], &t->key[i]))
            worst = i;
    if (is_better(&k, &t->key[worst]))
        t->key[worst] = k;
}

static void follow(struct telling *t, node_id id, uint32_t when, node_id *writer,
                   struct term_env *env)
{
    const struct node *n = &t->p->nodes.at[id], *check = &t->p->nodes.at[t->g->node[0]];
    for (uint32_t i = 0; n->thr == check->thr && i < n->read_count; i++) {
        const struct reading *r = &t->p->readings.at[n->read_first + i];
        struct key_read k = {.read = id, .reading = r, .when = when};
        if (!depends(t->p->pool, check->cond, r->var) || !term_eval(env, r->var, &k.sees))
            continue;
        k.write = writer[t->p->parts.at[r->first].place];
        k.differs = k.sees != r->saw;
        add_key(t, k);
    }
    for (uint32_t i = 0; i < n->count; i++)
        if (t->p->parts.at[n->first + i].writes)
            writer[t->p->parts.at[n->first + i].place] = id;
}

static int by_when(const void *a, const void *b)
{
    const struct key_read *x = a, *y = b;
    return (x->when > y->when) - (x->when < y->when);
}

static void find_keys(struct telling *t, const struct sym_witness *w)
{
    AUTO(term_env) struct term_env *env = term_env_new(t->p->pool);
    struct err ignored;
    CHECK(evaluate(t->p, t->g, w, env, &ignored));
    node_id *writer = mem_get((t->p->places.len + 1) * sizeof *writer);
    memset(writer, 0xff, (t->p->places.len + 1) * sizeof *writer);
    for (uint32_t i = 0; i < w->from + w->order.len; i++)
        follow(t, i < w->from ? i : w->order.at[i - w->from], i, writer, env);
    free(writer);
    qsort(t->key, t->count, sizeof *t->key, by_when);
}

/* ---- events of the query ----------------------------------------------------------------- */

static void add_number(struct query *q, uint64_t number)
{
    for (uint32_t i = 0; i < q->count; i++)
        if (q->number[i] == number)
            return;
    q->number[q->count++] = number;
}

/* What another thread wrote and what was read of it; in the order of the witness, because a
 * write that is seen comes before its read. */
static void make_query(const struct telling *t, struct query *q)
{
    *q = (struct query){.kind = QUERY_ORDER};
    for (uint32_t i = 0; i < t->count; i++) {
        const struct key_read *k = &t->key[i];
        if (k->write != NONE && t->p->nodes.at[k->write].thr != t->p->nodes.at[k->read].thr)
            add_number(q, t->p->nodes.at[k->write].event);
        add_number(q, t->p->nodes.at[k->read].event);
    }
    if (q->count == 0 && t->p->nodes.at[t->g->node[0]].event != NO_EVENT)
        add_number(q, t->p->nodes.at[t->g->node[0]].event);
}

/* ---- words ------------------------------------------------------------------------------- */

static const char *keep(struct telling *t, struct str *text)
{
    const char *kept = arena_text(t->mem, text->at ? text->at : "", text->len);
    text->len = 0;
    return kept;
}

static struct place place_of(struct telling *t, uint32_t site)
{
    const struct def_site *s = &t->m->trace->sites.at[site];
    return (struct place){.file = arena_text(t->mem, s->file.at, s->file.len),
                          .function = arena_text(t->mem, s->function.at, s->function.len),
                          .variable = arena_text(t->mem, s->name.at, s->name.len),
                          .line = s->line,
                          .column = s->column};
}

static uint32_t check_site(const struct telling *t)
{
    const struct node *check = &t->p->nodes.at[t->g->node[0]];
    if (check->site != NONE)
        return check->site;
    ev_id e = check->event == NO_EVENT ? NONE : model_find(t->m, check->event);
    return e == NONE ? 0 : model_site(t->m, e);
}

static void add_value(struct str *out, term_bits value, unsigned width)
{
    __extension__ __int128 number = term_signed(value, width);
    if (width > 64 || number < -65536)
        str_add(out, "0x%" PRIx64, (uint64_t)value);
    else if (number > 0xffffffffLL)
        str_add(out, "0x%" PRIx64, (uint64_t)number);
    else
        str_add(out, "%" PRId64, (int64_t)number);
}

static void add_object(struct str *out, const struct telling *t, node_id n)
{
    ev_id e = model_find(t->m, t->p->nodes.at[n].event);
    const struct def_site *s = &t->m->trace->sites.at[t->p->nodes.at[n].site];
    if (s->name.len > 0)
        str_bytes(out, s->name.at, s->name.len);
    else if (e != NONE)
        cell_name(out, t->m, model_cells(t->m, e).first);
}

/* "the read of 'x' at a.c:9 sees 2, which T1 wrote at a.c:20 (1 in the recorded run)" */
static void add_read(struct str *out, const struct telling *t, const struct key_read *k)
{
    unsigned width = term_width(t->p->pool, k->reading->var);
    const struct node *read = &t->p->nodes.at[k->read];
    str_add(out, "the read of '");
    add_object(out, t, k->read);
    str_add(out, "' at ");
    site_name(out, &t->m->trace->sites.at[read->site]);
    str_add(out, " sees ");
    add_value(out, k->sees, width);
    if (k->write != NONE && t->p->nodes.at[k->write].thr != read->thr) {
        str_add(out, ", which ");
        thread_name(out, t->m->trace, t->p->nodes.at[k->write].thr);
        str_add(out, " wrote at ");
        site_name(out, &t->m->trace->sites.at[t->p->nodes.at[k->write].site]);
    }
    if (k->differs) {
        str_add(out, " (");
        add_value(out, k->reading->saw, width);
        str_add(out, " in the recorded run)");
    }
}

static const struct {
    const char *pattern, *text;
} kinds[IR_WHY_COUNT] = {
    [IR_ASSERT] = {"assertion", "the assertion can fail"},
    [IR_ORACLE] = {"assertion", "the condition that the source expects can fail"},
    [IR_NULL] = {"null-dereference", "the pointer can be null"},
    [IR_BOUNDS] = {"out-of-bounds", "the index can be out of bounds"},
    [IR_DIVISOR] = {"division-by-zero", "the divisor can be zero"},
};

const char *symbolic_pattern(enum ir_why why)
{
    return kinds[why].pattern ? kinds[why].pattern : "assertion";
}

static const char *make_id(struct telling *t, const char *pattern)
{
    AUTO(str) struct str key = {0};
    const struct def_site *s = &t->m->trace->sites.at[check_site(t)];
    str_add(&key, "%.*s %.*s", (int)s->function.len, s->function.at, (int)s->name.len,
            s->name.at);
    for (uint32_t i = 0; i < t->count; i++) {
        str_char(&key, ' ');
        add_object(&key, t, t->key[i].read);
    }
    uint64_t hash = hash_bytes(key.at, key.len);
    key.len = 0;
    str_add(&key, "%s-%08x", pattern, (uint32_t)(hash ^ hash >> 32));
    return keep(t, &key);
}

/* ---- steps ------------------------------------------------------------------------------- */

static uint32_t add_thread(struct telling *t, struct told *f, uint32_t *known, uint32_t thr)
{
    uint32_t i = 0;
    while (i < f->threads.len && known[i] != thr)
        i++;
    if (i < f->threads.len)
        return i;
    AUTO(str) struct str name = {0};
    struct place created = {.file = "", .function = "", .variable = ""};
    ev_id create = t->m->threads[thr].create;
    thread_name(&name, t->m->trace, thr);
    if (create != NONE)
        created = place_of(t, model_site(t->m, create));
    known[i] = thr;
    vec_push(&f->threads, (struct told_thread){keep(t, &name), created});
    return i;
}

static void add_step(struct telling *t, struct told *f, uint32_t *known, node_id n,
                     const struct key_read *k)
{
    AUTO(str) struct str text = {0};
    const struct node *node = &t->p->nodes.at[n];
    struct told_step s = {.thread = add_thread(t, f, known, node->thr),
                          .place = place_of(t, node->site),
                          .action = n == k->read ? "read" : "write",
                          .held = "",
                          .is_key = true};
    add_object(&text, t, n);
    s.object = keep(t, &text);
    add_value(&text, k->sees, term_width(t->p->pool, k->reading->var));
    s.value = keep(t, &text);
    vec_push(&f->steps, s);
    vec_push(&f->sites, s.place);
}

static void add_steps(struct telling *t, struct told *f)
{
    uint32_t known[2 * READS_MAX + 1];
    vec_push(&f->sites, place_of(t, check_site(t)));
    for (uint32_t i = 0; i < t->count; i++) {
        const struct key_read *k = &t->key[i];
        if (k->write != NONE && t->p->nodes.at[k->write].thr != t->p->nodes.at[k->read].thr)
            add_step(t, f, known, k->write, k);
        add_step(t, f, known, k->read, k);
    }
}

void symbolic_tell(const struct problem *p, const struct model *m, const struct goal *g,
                   const struct sym_witness *w, struct arena *mem, struct query *query,
                   struct told *out)
{
    struct telling t = {.p = p, .m = m, .g = g, .mem = mem};
    AUTO(str) struct str text = {0};
    const struct node *check = &p->nodes.at[g->node[0]];
    const char *pattern = symbolic_pattern(check->why);
    find_keys(&t, w);
    make_query(&t, query);
    *out = (struct told){.id = make_id(&t, pattern),
                         .pattern = pattern,
                         .harm = "none",
                         .ends = "",
                         .passes = "",
                         .source = "",
                         .doubt = "nothing was run: only the evaluator has executed it",
                         .witness = "",
                         .replay = "",
                         .with = ""};
    for (uint32_t i = 0; i < t.count; i++) {
        str_add(&text, i ? "; " : "");
        add_read(&text, &t, &t.key[i]);
    }
    out->why = keep(&t, &text);
    site_name(&text, &m->trace->sites.at[check_site(&t)]);
    str_add(&text, ": %s in ", kinds[check->why].text ? kinds[check->why].text : "it can fail");
    thread_name(&text, m->trace, check->thr);
    if (*out->why)
        str_add(&text, ": %s", out->why);
    out->message = keep(&t, &text);
    add_steps(&t, out);
}
