/* SPDX-License-Identifier: Apache-2.0
 *
 * intent: what the program means. Which accesses of a thread are meant to happen as one, seen
 * from marks in the source, from lock sections, from statements and from what depends on what;
 * and which accesses nobody wants to hear about. */
#include "predict/engine.h"

#include "base/search.h"

#include <string.h>

static const char *const names[] = {NULL,        "region", "section",  "dependent",
                                    "statement", "update", "declared", "set"};

const char *group_text(enum group group)
{
    return names[group];
}

/* Events from <= idx < to of a thread. */
struct stretch {
    thr_id thr;
    uint32_t from, to;
};

typedef VEC(struct stretch) stretches;

struct intent {
    const struct model *m;
    stretches regions, ignored;          /* by thread, then from */
    stretches quiet_reads, quiet_writes; /* only those are ignored */
    bool *benign;                        /* by cell; NULL: none is */
    uint32_t *longest;                   /* by thread: no section of it has more events */
    bool statements;                     /* some site says which statement it is of */
    struct map site_of;                  /* unit << 32 | ordinal -> site */
};

/* ---- marks ----------------------------------------------------------------------------- */

/* A begin that is open, while a thread is walked. */
struct open_mark {
    uint32_t depth, from;
};

static void mark_step(struct open_mark *o, stretches *list, thr_id t, uint32_t idx, bool begin)
{
    if (begin && o->depth++ == 0)
        o->from = idx;
    if (!begin && o->depth > 0 && --o->depth == 0)
        vec_push(list, (struct stretch){t, o->from, idx});
}

static bool has_marks(const struct model *m)
{
    for (ev_id e = 0; e < m->ev_count; e++)
        if (m->ev[e].kind == EV_MARK)
            return true;
    return false;
}

/* The stretches of a thread between two words. */
static void read_marks(struct intent *in, stretches *out, thr_id t, uint32_t begin,
                       uint32_t end)
{
    const struct model *m = in->m;
    struct open_mark open = {0};
    uint32_t len = m->threads[t].len;
    for (uint32_t i = 0; i < len; i++) {
        ev_id e = model_at(m, t, i);
        if (m->ev[e].kind == EV_MARK && (m->obj[e] == begin || m->obj[e] == end))
            mark_step(&open, out, t, i, m->obj[e] == begin);
    }
    if (open.depth > 0)
        vec_push(out, (struct stretch){t, open.from, len});
}

#define READ_MARKS(in, list, t, name) \
    read_marks(in, list, t, WORD_VALUE(MARK, name##BEGIN), WORD_VALUE(MARK, name##END))

static void read_all_marks(struct intent *in)
{
    for (thr_id t = 0; t < in->m->thread_count; t++) {
        READ_MARKS(in, &in->regions, t, );
        READ_MARKS(in, &in->ignored, t, IGNORE_);
        READ_MARKS(in, &in->quiet_reads, t, READS_);
        READ_MARKS(in, &in->quiet_writes, t, WRITES_);
    }
}

/* The stretch that holds e, or NONE. */
static uint32_t stretch_of(const struct model *m, const stretches *list, ev_id e)
{
    thr_id t = m->ev[e].thr;
    uint32_t idx = m->idx[e];
    uint32_t low =
        SEARCH(i, 0, list->len,
               list->at[i].thr < t || (list->at[i].thr == t && list->at[i].from <= idx));
    if (low == 0 || list->at[low - 1].thr != t || list->at[low - 1].to <= idx)
        return NONE;
    return low - 1;
}

static void find_benign(struct intent *in)
{
    const struct model *m = in->m;
    if (m->benign.len == 0)
        return;
    in->benign = mem_zeroed(m->cell_count + 1, sizeof *in->benign);
    for (cell_id c = 0; c < m->cell_count; c++)
        in->benign[c] = model_is_benign(m, c);
}

bool intent_ignores(const struct intent *in, ev_id e)
{
    CHECK(e < in->m->ev_count);
    if (in->m->ev[e].kind == EV_EXTERNAL_WRITE) /* nobody knows whose it is */
        return true;
    if (in->ignored.len > 0 && stretch_of(in->m, &in->ignored, e) != NONE)
        return true;
    bool writes = model_writes(in->m, e) || ev_ends_life(in->m->ev[e].kind);
    bool memory = model_reads(in->m, e) || writes;
    const stretches *quiet = writes ? &in->quiet_writes : &in->quiet_reads;
    if (memory && quiet->len > 0 && stretch_of(in->m, quiet, e) != NONE)
        return true;
    return in->benign && memory && in->benign[model_cells(in->m, e).first];
}

bool intent_is_plain(const struct intent *in)
{
    return in->regions.len == 0 && !in->statements;
}

uint32_t intent_region(const struct intent *in, ev_id e)
{
    CHECK(e < in->m->ev_count);
    return in->regions.len == 0 ? NONE : stretch_of(in->m, &in->regions, e);
}

/* ---- the source ------------------------------------------------------------------------ */

static const struct def_site *site_at(const struct model *m, uint32_t site)
{
    return &m->trace->sites.at[site];
}

static bool same_text(struct def_text a, struct def_text b)
{
    return text_is((struct text){a.at, a.len}, (struct text){b.at, b.len});
}

bool same_function(const struct model *m, uint32_t site_a, uint32_t site_b)
{
    CHECK(site_a < m->trace->sites.len && site_b < m->trace->sites.len);
    const struct def_site *a = site_at(m, site_a), *b = site_at(m, site_b);
    return a->function.len > 0 && a->unit == b->unit && same_text(a->function, b->function);
}

enum { STATEMENT_NEAR = 32 }; /* events of a statement */

/* Nothing but accesses and branches lies between them. */
static bool is_one_stretch(const struct model *m, ev_id a, ev_id b)
{
    if (m->idx[b] - m->idx[a] > STATEMENT_NEAR)
        return false;
    for (uint32_t i = m->idx[a] + 1; i < m->idx[b]; i++) {
        unsigned kind = m->ev[model_at(m, m->ev[a].thr, i)].kind;
        if (kind == EV_ACQUIRE || kind == EV_RELEASE || kind == EV_WAIT_ENTER)
            return false;
    }
    return true;
}

/* Code of system headers knows what it does. */
static bool is_system(const struct def_site *s)
{
    return s->file.len >= 5 && memcmp(s->file.at, "/usr/", 5) == 0;
}

/* Ordinals ascend inside a statement: when they fall, it is done anew. */
bool intent_one_statement(const struct intent *in, ev_id a, ev_id b)
{
    CHECK(a < in->m->ev_count && b < in->m->ev_count);
    const struct model *m = in->m;
    const struct def_site *x = site_at(m, model_site(m, a)), *y = site_at(m, model_site(m, b));
    return x->statement > 0 && x->statement == y->statement && x->ordinal < y->ordinal &&
           !is_system(x) && same_function(m, model_site(m, a), model_site(m, b)) &&
           is_one_stretch(m, a, b);
}

struct wanted {
    uint32_t site;
    bool found;
};

static void is_wanted(void *arg, uint32_t site)
{
    struct wanted *w = arg;
    w->found |= site == w->site;
}

/* The halves of an update that is none: nothing but the accesses themselves says that they
 * belong together. What is only stored because of what was loaded may be stored late. */
static bool is_update(const struct intent *in, ev_id a, ev_id b)
{
    const struct model *m = in->m;
    uint32_t from = model_site(m, a), to = model_site(m, b);
    struct wanted w = {.site = from};
    if (m->ev[a].kind != EV_ATOMIC_LOAD || m->ev[b].kind != EV_ATOMIC_STORE ||
        !same_function(m, from, to) || is_system(site_at(m, from)) || !is_one_stretch(m, a, b))
        return false;
    intent_sources(in, to, is_wanted, &w);
    return w.found;
}

static void find_longest(struct intent *in)
{
    const struct model *m = in->m;
    in->longest = mem_zeroed(m->thread_count + 1, sizeof *in->longest);
    for (uint32_t i = 0; i < m->acquire_count; i++) {
        ev_id a = m->acquires[i];
        uint32_t *longest = &in->longest[m->ev[a].thr];
        uint32_t len = m->link[a] == NONE ? NONE : m->idx[m->link[a]] - m->idx[a];
        *longest = len > *longest ? len : *longest;
    }
}

static bool in_one_section(const struct intent *in, ev_id a, ev_id b)
{
    const struct model *m = in->m;
    uint32_t n = m->idx[b];
    if (n - m->idx[a] > in->longest[m->ev[b].thr])
        return false;
    for (uint32_t i = model_held(m, m->ev[b].thr, n); i != NONE; i = model_held_next(m, i, n))
        if (m->idx[m->acquires[i]] < m->idx[a])
            return true;
    return false;
}

enum group intent_group(const struct intent *in, ev_id a, ev_id b)
{
    uint32_t region = intent_region(in, a);
    if (region != NONE && region == intent_region(in, b))
        return GROUP_REGION;
    if (in_one_section(in, a, b))
        return GROUP_SECTION;
    if (intent_one_statement(in, a, b))
        return GROUP_STATEMENT;
    return is_update(in, a, b) ? GROUP_UPDATE : GROUP_NONE;
}

static uint64_t ordinal_key(uint32_t unit, uint64_t ordinal)
{
    return (uint64_t)unit << 32 | (uint32_t)ordinal;
}

void intent_sources(const struct intent *in, uint32_t site, site_fn visit, void *arg)
{
    CHECK(site < in->m->trace->sites.len);
    const struct def_site *s = site_at(in->m, site);
    const uint8_t *at = s->depends;
    for (uint32_t i = 0; i < s->depends_count; i++) {
        uint64_t ordinal;
        at = fmt_get_varint(at, &ordinal);
        uint32_t source = map_find(&in->site_of, ordinal_key(s->unit, ordinal));
        if (source != NONE)
            visit(arg, source);
    }
}

enum { USE_NEAR = 64 }; /* so many events behind a read are looked at */

/* A store needs an address and a value, and its site does not say which of them needs what. A
 * store to private memory is not in the model at all. */
static bool may_be_value(const struct model *m, ev_id branch)
{
    thr_id t = m->ev[branch].thr;
    uint32_t next = m->idx[branch] + 1, site = model_site(m, branch);
    ev_id e = next < m->threads[t].len ? model_at(m, t, next) : NONE;
    bool reads = e != NONE && model_site(m, e) == site && !model_writes(m, e);
    return !reads && site_at(m, site)->depends_count > 1;
}

static enum use use_by(const struct model *m, ev_id e)
{
    if (m->ev[e].kind != EV_BRANCH)
        return USE_VALUE;
    switch (m->obj[e]) {
    case WORD_VALUE(BRANCH, EXPLICIT):
        return USE_TEST;
    case WORD_VALUE(BRANCH, FOREIGN):
        return USE_VALUE;
    default:
        return may_be_value(m, e) ? USE_VALUE : USE_POINTER;
    }
}

enum use intent_use(const struct intent *in, ev_id r)
{
    CHECK(model_reads(in->m, r));
    const struct model *m = in->m;
    thr_id t = m->ev[r].thr;
    uint32_t end =
        m->threads[t].len - m->idx[r] > USE_NEAR ? m->idx[r] + USE_NEAR : m->threads[t].len;
    for (uint32_t i = m->idx[r] + 1; i < end; i++) {
        ev_id e = model_at(m, t, i);
        struct wanted w = {.site = model_site(m, r)};
        if (model_site(m, e) == w.site && m->ev[e].kind == m->ev[r].kind)
            break;
        intent_sources(in, model_site(m, e), is_wanted, &w);
        if (w.found)
            return use_by(m, e);
    }
    return USE_UNKNOWN;
}

/* ---- life ------------------------------------------------------------------------------ */

struct intent *intent_new(const struct model *m)
{
    struct intent *in = mem_zeroed(1, sizeof *in);
    in->m = m;
    if (has_marks(m))
        read_all_marks(in);
    find_benign(in);
    find_longest(in);
    for (uint32_t i = 0; i < m->trace->sites.len; i++) {
        const struct def_site *s = site_at(m, i);
        in->statements |= s->statement > 0;
        if (s->function.len > 0)
            *map_at(&in->site_of, ordinal_key(s->unit, s->ordinal)) = i;
    }
    return in;
}

void intent_free(struct intent *in)
{
    vec_done(&in->regions);
    vec_done(&in->ignored);
    vec_done(&in->quiet_reads);
    vec_done(&in->quiet_writes);
    free(in->benign);
    free(in->longest);
    map_done(&in->site_of);
    free(in);
}
