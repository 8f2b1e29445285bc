/* SPDX-License-Identifier: Apache-2.0
 *
 * several: atomicity violations of two variables. Two threads each do two accesses that belong
 * together, one to x and one to y; no serial order explains it if at x the first thread comes
 * first and at y the second. All of them write, or those of one thread read (Shi et al., SWAN,
 * table 1, 6 to 8).
 *
 * Two variables count as one unit, too, if every other function that uses one of them in a
 * section of a lock uses both there. */
#include "predict/units.h"

#include "base/search.h"

#include <string.h>

enum {
    CELLS_MAX = 8,       /* of a unit */
    DUOS_MAX = 1 << 20,  /* in all */
    SAME_MAX = 2,        /* of the same thread, sites and cells */
    LOOKED_AT_MAX = 64,  /* accesses of sections that may be halves of one */
    PARTNERS_MAX = 4096, /* duos of the same cells that are tried with each other */
};

/* Two accesses of a thread that belong together, the first to one of two cells, the second to
 * the other. */
struct duo {
    cell_id low, high;
    thr_id thr;
    ev_id first, second;
    bool first_is_high, writes;
    enum group group;
};

/* A function uses a cell in sections of locks. */
struct usage {
    cell_id cell;
    uint32_t function;
};

/* Two accesses in sections next to each other, each without the other's cell. */
struct neighbours {
    cell_id a_cell, b_cell;
    ev_id a, b;
    bool writes;
};

struct several {
    struct scan *s;
    const struct model *m;
    VEC(struct duo) duos;
    struct map seen;        /* duos of the same thread, sites and cells -> how many */
    struct map functions;   /* unit and name -> number */
    uint32_t *function_at;  /* by site, or NONE: not looked up */
    struct map alone;       /* cell, function -> sections that use it */
    struct map together;    /* cells, function -> sections that use both */
    VEC(struct usage) uses; /* each once */
    VEC(struct neighbours) neighbours;
    struct map known; /* sites of two duos that are known to be possible */
    struct map taken; /* thread, cells -> first event of a section that is part of some */
};

/* What a unit does to one of its cells; NONE: nothing. */
struct part {
    cell_id cell;
    ev_id first[2], last[2]; /* read, write */
};

/* ---- what a unit does ------------------------------------------------------------------ */

static struct part *part_of(struct part *parts, uint32_t *count, cell_id c)
{
    for (uint32_t i = 0; i < *count; i++)
        if (parts[i].cell == c)
            return &parts[i];
    if (*count == CELLS_MAX)
        return NULL;
    parts[*count] = (struct part){c, {NONE, NONE}, {NONE, NONE}};
    return &parts[(*count)++];
}

static uint32_t take_apart(const struct model *m, const ev_id *e, uint32_t count,
                           struct part *parts)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct part *p = part_of(parts, &found, model_cells(m, e[i]).first);
        bool does[2] = {model_reads(m, e[i]), model_writes(m, e[i])};
        for (int k = 0; p && k < 2; k++) {
            if (does[k] && p->first[k] == NONE)
                p->first[k] = e[i];
            if (does[k])
                p->last[k] = e[i];
        }
    }
    return found;
}

static uint64_t cells_key(cell_id a, cell_id b, uint32_t with)
{
    uint32_t parts[] = {a < b ? a : b, a < b ? b : a, with};
    return hash_bytes(parts, sizeof parts);
}

/* Atomic accesses stand for themselves, unless the source says otherwise. */
static void add_duo(struct several *v, cell_id a_cell, ev_id a, cell_id b_cell, ev_id b,
                    bool writes, enum group group)
{
    const struct model *m = v->m;
    if (a == NONE || b == NONE || m->idx[a] >= m->idx[b] || v->duos.len == DUOS_MAX ||
        (group != GROUP_REGION && (model_is_atomic(m, a) || model_is_atomic(m, b))))
        return;
    uint32_t same[] = {a_cell, b_cell, model_site(m, a), model_site(m, b), m->ev[a].thr};
    uint32_t *count = map_at(&v->seen, hash_bytes(same, sizeof same));
    *count = *count == NONE ? 1 : *count + 1;
    v->s->skipped += *count > SAME_MAX;
    if (*count > SAME_MAX)
        return;
    bool high = a_cell > b_cell;
    vec_push(&v->duos, (struct duo){high ? b_cell : a_cell, high ? a_cell : b_cell,
                                    m->ev[a].thr, a, b, high, writes, group});
}

/* The number of the function that an access stands in; 0: not known. */
static uint32_t function_of(struct several *v, ev_id e)
{
    uint32_t site = model_site(v->m, e), *known = &v->function_at[site];
    const struct def_site *s = &v->m->trace->sites.at[site];
    if (*known != NONE || s->function.len == 0)
        return *known == NONE ? 0 : *known;
    uint64_t key = hash_bytes(s->function.at, s->function.len) + s->unit;
    uint32_t next = v->functions.len + 1, *number = map_at(&v->functions, key);
    if (*number == NONE)
        *number = next;
    return *known = *number;
}

static ev_id any_of(const struct part *p)
{
    return p->first[0] != NONE ? p->first[0] : p->first[1];
}

static void count_section(struct several *v, const struct part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t function = function_of(v, any_of(&parts[i]));
        uint32_t *alone = map_at(&v->alone, cells_key(parts[i].cell, NONE, function));
        if (*alone == NONE)
            vec_push(&v->uses, (struct usage){parts[i].cell, function});
        *alone = *alone == NONE ? 1 : *alone + 1;
        for (uint32_t j = 0; j < count; j++) {
            if (i == j)
                continue;
            /* once for each of the two functions, which are one and the same as a rule */
            uint32_t partner = function_of(v, any_of(&parts[j]));
            if (j < i && partner == function)
                continue;
            uint32_t *both =
                map_at(&v->together, cells_key(parts[i].cell, parts[j].cell, function));
            *both = *both == NONE ? 1 : *both + 1;
        }
    }
}

/* Accesses far from each other leave room for others, near ones need less to happen. */
static void add_duos(struct several *v, const struct part *x, const struct part *y, bool writes,
                     enum group group)
{
    const ev_id a[] = {x->first[writes], x->last[writes]};
    const ev_id b[] = {y->last[writes], y->first[writes]};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if ((i == 0 || a[1] != a[0]) && (j == 0 || b[1] != b[0]))
                add_duo(v, x->cell, a[i], y->cell, b[j], writes, group);
}

void several_unit(struct several *v, const ev_id *e, uint32_t count, enum group group)
{
    struct part parts[CELLS_MAX];
    uint32_t found = take_apart(v->m, e, count, parts);
    if (group == GROUP_SECTION)
        count_section(v, parts, found);
    for (uint32_t i = 0; i < found; i++)
        for (uint32_t j = 0; j < found; j++)
            for (int k = 0; i != j && k < 2; k++)
                add_duos(v, &parts[i], &parts[j], k, group);
}

void several_pair(struct several *v, ev_id a, ev_id b, enum group group)
{
    if (model_reads(v->m, a) && model_reads(v->m, b))
        add_duo(v, model_cells(v->m, a).first, a, model_cells(v->m, b).first, b, false, group);
}

/* ---- sets of variables ----------------------------------------------------------------- */

static bool has_part(const struct part *parts, uint32_t count, cell_id c)
{
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].cell == c)
            return true;
    return false;
}

/* A section is part of one such pair only: what comes after it is the next round of a loop. */
static bool take(struct several *v, const ev_id *a, const ev_id *b, cell_id x, cell_id y)
{
    uint32_t *at = map_at(&v->taken, cells_key(x, y, v->m->ev[*a].thr));
    if (*at == *a)
        return false;
    *at = *b;
    return true;
}

/* A site that is in both tells of two rounds of the same code, not of one unit. */
static bool share_a_site(const struct model *m, const ev_id *a, uint32_t a_count,
                         const ev_id *b, uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++)
            if (model_site(m, a[i]) == model_site(m, b[j]))
                return true;
    return false;
}

void several_neighbours(struct several *v, const ev_id *a, uint32_t a_count, const ev_id *b,
                        uint32_t b_count)
{
    struct part before[CELLS_MAX], now[CELLS_MAX];
    if (a_count > LOOKED_AT_MAX || b_count > LOOKED_AT_MAX ||
        share_a_site(v->m, a, a_count, b, b_count))
        return;
    uint32_t m = take_apart(v->m, a, a_count, before), n = take_apart(v->m, b, b_count, now);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            const struct part *x = &before[i], *y = &now[j];
            if (has_part(now, n, x->cell) || has_part(before, m, y->cell) ||
                !same_function(v->m, model_site(v->m, any_of(x)),
                               model_site(v->m, any_of(y))) ||
                !take(v, a, b, x->cell, y->cell))
                continue;
            for (int k = 0; k < 2; k++)
                if (x->first[k] != NONE && y->last[k] != NONE)
                    vec_push(&v->neighbours,
                             (struct neighbours){x->cell, y->cell, x->first[k], y->last[k], k});
        }
}

static int by_cell(const void *left, const void *right)
{
    const struct usage *a = left, *b = right;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

/* Does every function but this one that uses c use d there, too? Adds how often. */
static bool always_with(const struct several *v, cell_id c, cell_id d, uint32_t but,
                        uint32_t *times)
{
    uint32_t low = SEARCH(i, 0, v->uses.len, v->uses.at[i].cell < c);
    for (; low < v->uses.len && v->uses.at[low].cell == c; low++) {
        uint32_t function = v->uses.at[low].function;
        if (function == but)
            continue;
        uint32_t both = map_find(&v->together, cells_key(c, d, function));
        if (both == NONE || both < map_find(&v->alone, cells_key(c, NONE, function)))
            return false;
        *times += both;
    }
    return true;
}

/* The lock that the variable of this access is declared to have; NONE: nothing is. */
static uint32_t declared_lock(const struct several *v, ev_id e)
{
    const struct def_site *s = &v->m->trace->sites.at[model_site(v->m, e)];
    const struct predict_guards *all = &v->s->p->declared;
    for (uint32_t i = 0; i < all->len; i++)
        if (strlen(all->at[i].name) == s->name.len &&
            memcmp(all->at[i].name, s->name.at, s->name.len) == 0)
            return all->at[i].lock;
    return NONE;
}

static bool have_one_lock(const struct several *v, ev_id a, ev_id b)
{
    uint32_t lock = declared_lock(v, a);
    return lock != NONE && lock == declared_lock(v, b);
}

static void add_sets(struct several *v)
{
    if (v->uses.len > 0)
        qsort(v->uses.at, v->uses.len, sizeof *v->uses.at, by_cell);
    for (uint32_t i = 0; i < v->neighbours.len; i++) {
        const struct neighbours *x = &v->neighbours.at[i];
        uint32_t function = function_of(v, x->a), times = 0;
        if (have_one_lock(v, x->a, x->b))
            add_duo(v, x->a_cell, x->a, x->b_cell, x->b, x->writes, GROUP_DECLARED);
        else if (always_with(v, x->a_cell, x->b_cell, function, &times) &&
                 always_with(v, x->b_cell, x->a_cell, function, &times) && times > 0)
            add_duo(v, x->a_cell, x->a, x->b_cell, x->b, x->writes, GROUP_SET);
    }
}

/* ---- asking ---------------------------------------------------------------------------- */

/* By letter and variable of each event, the first one's variable being x. */
static const char *const shapes[] = {
    "Wx Wx Wy Wy", "Wx Wy Wx Wy", "Wx Wy Wy Wx", "Wx Rx Ry Wy", "Wx Ry Rx Wy",
    "Rx Wx Wy Ry", "Rx Wy Wx Ry", "Rx Wy Ry Wx", "Wx Ry Wy Rx",
};

/* places: 0 and 1 are a's accesses, 2 and 3 are b's. */
static bool ask(struct several *v, const struct duo *a, const struct duo *b, const int *places)
{
    const ev_id all[] = {a->first, a->second, b->first, b->second};
    const bool high[] = {a->first_is_high, !a->first_is_high, b->first_is_high,
                         !b->first_is_high};
    const bool writes[] = {a->writes, a->writes, b->writes, b->writes};
    ev_id e[4];
    char shape[12] = "", *at = shape;
    for (int i = 0; i < 4; i++) {
        e[i] = all[places[i]];
        *at++ = writes[places[i]] ? 'W' : 'R';
        *at++ = high[places[i]] == high[places[0]] ? 'x' : 'y';
        *at++ = i < 3 ? ' ' : 0;
    }
    bool first = places[0] < 2;
    struct predicted x = {.query = {.kind = QUERY_ORDER, .count = 4},
                          .group = first ? a->group : b->group,
                          .other = first ? b->group : a->group};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i], shape) == 0)
            x.shape = shapes[i];
    CHECK(x.shape);
    uint64_t key = sites_key(v->s->p, e, 4);
    if (v->m->ev[e[3]].thr == v->m->ev[e[0]].thr)
        return scan_ask_up_to(v->s, &x, e, 2, e[2], key) == ANSWER_YES;
    return scan_ask(v->s, &x, e, key) == ANSWER_YES;
}

/* In every order in which one thread comes first at one cell and last at the other, until one
 * is possible. */
static void ask_orders(struct several *v, const struct duo *a, const struct duo *b)
{
    static const int same[][4] = {{0, 2, 3, 1}, {2, 0, 1, 3}};
    static const int opposite[][4] = {{0, 2, 3, 1}, {0, 2, 1, 3}, {2, 0, 3, 1}, {2, 0, 1, 3}};
    bool is_same = a->first_is_high == b->first_is_high, found = false;
    uint64_t key = sites_key(v->s->p, (ev_id[]){a->first, a->second, b->first, b->second}, 4);
    if (map_find(&v->known, key) != NONE)
        return;
    for (int i = 0; !found && i < (is_same ? 2 : 4); i++)
        found = ask(v, a, b, is_same ? same[i] : opposite[i]);
    if (found)
        *map_at(&v->known, key) = 1;
}

static bool is_worth_asking(const struct several *v, const struct duo *a, const struct duo *b)
{
    const struct model *m = v->m;
    return a->thr != b->thr && (a->writes || b->writes) &&
           !(is_kept_out(m, a->first, a->second, b->first) &&
             is_kept_out(m, b->first, b->second, a->first));
}

static int by_cells(const void *left, const void *right)
{
    const struct duo *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->second != b->second)
        return a->second < b->second ? -1 : 1;
    if (a->writes != b->writes)
        return a->writes ? 1 : -1;
    return (int)a->group - (int)b->group;
}

void several_ask(struct several *v)
{
    add_sets(v);
    if (v->duos.len > 0)
        qsort(v->duos.at, v->duos.len, sizeof *v->duos.at, by_cells);
    for (uint32_t i = 0; i < v->duos.len; i++) {
        const struct duo *a = &v->duos.at[i];
        for (uint32_t j = i + 1; j < v->duos.len && j - i < PARTNERS_MAX; j++) {
            const struct duo *b = &v->duos.at[j];
            if (b->low != a->low || b->high != a->high)
                break;
            if (is_worth_asking(v, a, b))
                ask_orders(v, a, b);
        }
    }
}

struct several *several_new(struct scan *s)
{
    struct several *v = mem_zeroed(1, sizeof *v);
    v->s = s;
    v->m = s->p->m;
    size_t bytes = (v->m->trace->sites.len + 1) * sizeof *v->function_at;
    v->function_at = mem_get(bytes);
    memset(v->function_at, 0xff, bytes);
    return v;
}

void several_free(struct several *v)
{
    vec_done(&v->duos);
    vec_done(&v->uses);
    vec_done(&v->neighbours);
    map_done(&v->seen);
    map_done(&v->functions);
    free(v->function_at);
    map_done(&v->alone);
    map_done(&v->together);
    map_done(&v->taken);
    map_done(&v->known);
    free(v);
}
