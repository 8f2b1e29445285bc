/* SPDX-License-Identifier: Apache-2.0
 *
 * compare: are two traces the same run? Events are compared one by one: thread, kind, site,
 * what they act on, values. Addresses count as object and offset, also where they are values,
 * because the system may put a program elsewhere each time. Memory that is no object (code,
 * libraries, stacks, what malloc has for a thread) moves as a whole: a few distances, found as
 * we go, explain all addresses in it. */
#include "trace/trace.h"

enum { MOVES_MAX = 8, MOVES_OF_A_THREAD = 2, PAGE_BYTES = 4096, STACK_ALIGN_BYTES = 16 };
#define STACK_FROM 0x7ff000000000ULL /* where the system puts the main stack */
#define ADDRESS_FROM (1ULL << 32)    /* a smaller number is no address */
#define ADDRESS_END (1ULL << 47)

/* How the memory of one run lies against that of the other. */
struct layout {
    bool moved;
    bool left_out;       /* an event of one side, so that their numbers differ from there on */
    uint32_t threads;    /* that have done something so far */
    VEC(uint64_t) moves; /* of memory that is no object */
};

static void auto_layout(struct layout *l)
{
    vec_done(&l->moves);
}

struct side {
    struct trace_cursor cursor;
    struct space *space; /* owned */
    struct ev e;
    int item;
};

static struct side *side_new(struct trace *t)
{
    struct side *s = mem_get(sizeof *s);
    cursor_init(&s->cursor, t);
    s->space = space_new();
    return s;
}

static void side_free(struct side *s)
{
    if (!s)
        return;
    space_free(s->space);
    free(s);
}

static void auto_side(struct side **s)
{
    side_free(*s);
}

/* On to the next event; definitions are noted on the way. */
static int side_next(struct side *s, struct err *err)
{
    do {
        s->item = trace_next(&s->cursor, &s->e, err);
        if (s->item > ITEM_END)
            space_feed(s->space, &s->cursor, s->item, &s->e);
    } while (s->item > ITEM_EVENT);
    return s->item;
}

/* Is it the distance of something that moved as a whole? */
static bool same_move(struct layout *l, uint64_t x, uint64_t y)
{
    uint64_t move = y - x;
    for (uint32_t i = 0; i < l->moves.len; i++)
        if (l->moves.at[i] == move)
            return true;
    uint32_t most = MOVES_MAX + MOVES_OF_A_THREAD * l->threads;
    bool is_stack = x >= STACK_FROM && y >= STACK_FROM;
    if (l->moves.len >= most || x < ADDRESS_FROM || y < ADDRESS_FROM || x >= ADDRESS_END ||
        y >= ADDRESS_END || move % (is_stack ? STACK_ALIGN_BYTES : PAGE_BYTES) != 0)
        return false;
    vec_push(&l->moves, move);
    return true;
}

static bool same_address(struct layout *l, const struct side *a, uint64_t x,
                         const struct side *b, uint64_t y)
{
    if (x == y)
        return true;
    obj_id i = space_find(a->space, x), k = space_find(b->space, y);
    bool same = i == k && (i == NONE ? same_move(l, x, y)
                                     : x - space_object(a->space, i)->addr ==
                                           y - space_object(b->space, k)->addr);
    l->moved |= same;
    return same;
}

static bool same_value(struct layout *l, const struct side *a, uint64_t x, const struct side *b,
                       uint64_t y)
{
    if (x == y)
        return true;
    if (ev_fields(a->e.kind)[1] == 'L') /* a hash: of what may hold addresses */
        return l->moved;
    if (space_find(a->space, x) == NONE && space_find(b->space, y) == NONE)
        return l->moved && same_move(l, x, y);
    return same_address(l, a, x, b, y);
}

static bool same_site(const struct side *a, const struct side *b)
{
    const struct def_site *x = &a->cursor.t->sites.at[a->e.site];
    const struct def_site *y = &b->cursor.t->sites.at[b->e.site];
    return x->line == y->line && x->column == y->column && x->ordinal == y->ordinal &&
           text_is(text_from(x->file), text_from(y->file)) &&
           text_is(text_from(x->function), text_from(y->function));
}

/* The first field that differs, as a word; NULL if none does. */
static const char *difference(struct layout *l, const struct side *a, const struct side *b)
{
    const struct ev *x = &a->e, *y = &b->e;
    if (x->thr != y->thr)
        return "thread";
    if (x->thr >= l->threads)
        l->threads = x->thr + 1;
    if (x->kind != y->kind)
        return "kind";
    if (!same_site(a, b))
        return "site";
    for (const char *f = ev_fields(x->kind); *f; f++)
        if (*f == 'A' && !same_address(l, a, x->addr, b, y->addr))
            return "object";
        else if (*f == 'V' && !same_value(l, a, x->value, b, y->value))
            return "value";
        else if (*f == 'W' && !same_value(l, a, x->value2, b, y->value2))
            return "second value";
        else if ((*f == 'Z' && x->size != y->size) || (*f == 'L' && x->len != y->len))
            return "size";
        else if ((*f == 'M' && x->order != y->order) || (*f == 'F' && x->flags != y->flags) ||
                 (*f == 'N' && x->number != y->number) || (*f == 'T' && x->peer != y->peer) ||
                 (*f == 'K' && x->ref != y->ref && !l->left_out) ||
                 ((*f == 'B' || *f == 'C' || *f == 'R') && x->word != y->word))
            return "detail";
    return NULL;
}

/* Outside writes are noticed with a table that forgets, by address: memory that moved can leave
 * one unnoticed, and who caused it. What the read after it found is compared all the same. */
static bool is_chance(const struct layout *l, const struct side *s, const struct side *other)
{
    if (!l->moved || s->item != ITEM_EVENT || other->item != ITEM_EVENT)
        return false;
    bool is_noticed = s->e.kind == EV_EXTERNAL_WRITE && s->e.len <= sizeof(uint64_t);
    bool is_cause = s->e.kind == EV_HEAR && s->e.addr == CAUSE_ADDRESS;
    return (is_noticed || is_cause) && other->e.kind == EV_READ && other->e.thr == s->e.thr &&
           same_site(s, other);
}

/* On to the next events of both that can be compared. */
static int both_next(struct layout *l, struct side *x, struct side *y, struct err *err)
{
    if (side_next(x, err) < 0 || side_next(y, err) < 0)
        return -1;
    for (;;) {
        struct side *more = is_chance(l, x, y) ? x : is_chance(l, y, x) ? y : NULL;
        if (!more)
            return 0;
        l->left_out = true;
        if (side_next(more, err) < 0)
            return -1;
    }
}

static void describe(struct str *out, const struct side *s)
{
    if (s->item != ITEM_EVENT) {
        str_add(out, "the end");
        return;
    }
    str_add(out, "T%u %s ", s->e.thr, ev_text(s->e.kind));
    if (ev_fields(s->e.kind)[0] == 'A') {
        addr_name(out, s->space, s->e.addr);
        str_char(out, ' ');
    }
    if (ev_is_scalar(s->e.kind))
        str_add(out, "%llu ", (unsigned long long)s->e.value);
    str_add(out, "at ");
    site_name(out, &s->cursor.t->sites.at[s->e.site]);
}

int trace_compare(struct trace *a, struct trace *b, struct str *where, struct err *err)
{
    AUTO(side) struct side *x = side_new(a);
    AUTO(side) struct side *y = side_new(b);
    AUTO(layout) struct layout layout = {0};
    for (;;) {
        if (both_next(&layout, x, y, err) < 0)
            return -1;
        if (x->item == ITEM_END && (y->item == ITEM_END || x->cursor.cut))
            return 0;
        const char *what = x->item != y->item ? "length" : difference(&layout, x, y);
        if (!what)
            continue;
        str_add(where, "event %llu, %s: expected ",
                (unsigned long long)(x->cursor.number - (x->item == ITEM_EVENT)), what);
        describe(where, x);
        str_add(where, ", got ");
        describe(where, y);
        return 1;
    }
}
