/* SPDX-License-Identifier: Apache-2.0
 *
 * term: the pool of nodes, folding and small algebra. A constructor first tries to give its
 * answer without a new node; what is left is looked up by content. */
#include "smt/term.h"

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

#include <string.h>

struct term_pool {
    VEC(struct term_node) nodes;
    VEC(term_bits) values; /* of constants */
    VEC(term) next;        /* by node: the one before it with the same hash, or NONE */
    struct map by_hash;    /* -> the last node with it */
    uint32_t var_count;
};

struct term_pool *term_pool_new(void)
{
    return mem_zeroed(1, sizeof(struct term_pool));
}

void term_pool_free(struct term_pool *p)
{
    if (!p)
        return;
    vec_done(&p->nodes);
    vec_done(&p->values);
    vec_done(&p->next);
    map_done(&p->by_hash);
    free(p);
}

uint32_t term_count(const struct term_pool *p)
{
    return p->nodes.len;
}

uint32_t term_var_count(const struct term_pool *p)
{
    return p->var_count;
}

const struct term_node *term_at(const struct term_pool *p, term t)
{
    CHECK(t < p->nodes.len);
    return &p->nodes.at[t];
}

term_bits term_value(const struct term_pool *p, term t)
{
    const struct term_node *n = term_at(p, t);
    CHECK(n->op == TERM_CONST);
    return p->values.at[n->a];
}

/* ---- values ------------------------------------------------------------------------------ */

term_bits term_mask(unsigned width)
{
    return width >= 128 ? ~(term_bits)0 : ((term_bits)1 << width) - 1;
}

__extension__ __int128 term_signed(term_bits value, unsigned width)
{
    term_bits sign = (term_bits)1 << (width - 1);
    return (__int128)(((value & term_mask(width)) ^ sign) - sign);
}

static term_bits fold_division(enum term_op op, unsigned width, term_bits a, term_bits b)
{
    bool negative_a = a >> (width - 1) & 1, negative_b = b >> (width - 1) & 1;
    term_bits mask = term_mask(width);
    if (op == TERM_UDIV)
        return b ? a / b : mask;
    if (op == TERM_UREM)
        return b ? a % b : a;
    if (b == 0)
        return op == TERM_SREM ? a : negative_a ? 1 : mask;
    term_bits abs_a = negative_a ? -a & mask : a, abs_b = negative_b ? -b & mask : b;
    if (op == TERM_SDIV)
        return negative_a != negative_b ? -(abs_a / abs_b) & mask : abs_a / abs_b;
    return negative_a ? -(abs_a % abs_b) & mask : abs_a % abs_b;
}

static term_bits fold_shift(enum term_op op, unsigned width, term_bits a, term_bits b)
{
    term_bits mask = term_mask(width), sign = a >> (width - 1) & 1;
    term_bits fill = op == TERM_ASHR && sign ? mask : 0;
    if (b >= width)
        return fill;
    unsigned by = (unsigned)b;
    if (op == TERM_SHL)
        return a << by & mask;
    return by ? (a >> by | (fill << (width - by) & mask)) : a;
}

/* Signed numbers compare as unsigned ones do with their sign bits turned. */
static term_bits turned(term_bits a, unsigned width)
{
    return a ^ (term_bits)1 << (width - 1);
}

term_bits term_fold(enum term_op op, unsigned width, term_bits a, term_bits b)
{
    switch (op) {
    case TERM_ADD:
        return (a + b) & term_mask(width);
    case TERM_SUB:
        return (a - b) & term_mask(width);
    case TERM_MUL:
        return a * b & term_mask(width);
    case TERM_UDIV:
    case TERM_SDIV:
    case TERM_UREM:
    case TERM_SREM:
        return fold_division(op, width, a, b);
    case TERM_SHL:
    case TERM_LSHR:
    case TERM_ASHR:
        return fold_shift(op, width, a, b);
    case TERM_AND:
        return a & b;
    case TERM_OR:
        return a | b;
    case TERM_XOR:
        return a ^ b;
    case TERM_EQ:
        return a == b;
    case TERM_ULT:
        return a < b;
    case TERM_ULE:
        return a <= b;
    case TERM_SLT:
        return turned(a, width) < turned(b, width);
    case TERM_SLE:
        return turned(a, width) <= turned(b, width);
    default:
        CHECK(!"an operation on two values");
        return 0;
    }
}

/* ---- nodes ------------------------------------------------------------------------------- */

static uint64_t hash_node(const struct term_node *n)
{
    uint64_t h = hash_u64((uint64_t)n->op << 32 | (uint64_t)n->width << 16 | n->low);
    h = hash_u64(h ^ ((uint64_t)n->a << 32 | n->b));
    return hash_u64(h ^ n->c);
}

static bool same_node(const struct term_node *x, const struct term_node *y)
{
    return x->op == y->op && x->width == y->width && x->low == y->low && x->a == y->a &&
           x->b == y->b && x->c == y->c;
}

static term push_node(struct term_pool *p, struct term_node n, uint64_t hash)
{
    uint32_t *last = map_at(&p->by_hash, hash);
    term t = p->nodes.len;
    vec_push(&p->next, *last);
    *last = t;
    vec_push(&p->nodes, n);
    return t;
}

static term intern(struct term_pool *p, struct term_node n)
{
    CHECK(n.width >= 1 && n.width <= TERM_WIDTH_MAX);
    uint64_t hash = hash_node(&n);
    for (term t = map_find(&p->by_hash, hash); t != NONE; t = p->next.at[t])
        if (same_node(&p->nodes.at[t], &n))
            return t;
    return push_node(p, n, hash);
}

term term_const(struct term_pool *p, unsigned width, term_bits value)
{
    CHECK(width >= 1 && width <= TERM_WIDTH_MAX);
    value &= term_mask(width);
    uint64_t hash = hash_u64((uint64_t)value) ^ hash_u64((uint64_t)(value >> 64) + width);
    for (term t = map_find(&p->by_hash, hash); t != NONE; t = p->next.at[t]) {
        const struct term_node *n = &p->nodes.at[t];
        if (n->op == TERM_CONST && n->width == width && p->values.at[n->a] == value)
            return t;
    }
    struct term_node n = {.op = TERM_CONST, .width = (uint8_t)width, .a = p->values.len};
    vec_push(&p->values, value);
    return push_node(p, n, hash);
}

term term_var(struct term_pool *p, unsigned width)
{
    return intern(
        p, (struct term_node){.op = TERM_VAR, .width = (uint8_t)width, .a = p->var_count++});
}

/* ---- operations -------------------------------------------------------------------------- */

static bool is_commutative(enum term_op op)
{
    return op == TERM_ADD || op == TERM_MUL || op == TERM_AND || op == TERM_OR ||
           op == TERM_XOR || op == TERM_EQ;
}

static bool is_comparison(enum term_op op)
{
    return op >= TERM_EQ && op <= TERM_SLE;
}

/* x op x; NONE: nothing simpler. */
static term with_itself(struct term_pool *p, enum term_op op, term a)
{
    unsigned width = term_width(p, a);
    switch (op) {
    case TERM_SUB:
    case TERM_XOR:
        return term_const(p, width, 0);
    case TERM_AND:
    case TERM_OR:
        return a;
    case TERM_EQ:
    case TERM_ULE:
    case TERM_SLE:
        return term_bool(p, true);
    case TERM_ULT:
    case TERM_SLT:
        return term_bool(p, false);
    default:
        return NONE;
    }
}

/* x op constant; NONE: nothing simpler. */
static term with_const(struct term_pool *p, enum term_op op, term a, term_bits k)
{
    unsigned width = term_width(p, a);
    bool zero = k == 0, ones = k == term_mask(width);
    switch (op) {
    case TERM_ADD:
    case TERM_SUB:
    case TERM_SHL:
    case TERM_LSHR:
    case TERM_ASHR:
        return zero ? a : NONE;
    case TERM_OR:
        return zero ? a : ones ? term_const(p, width, k) : NONE;
    case TERM_XOR:
        return zero ? a : ones ? term_not(p, a) : NONE;
    case TERM_AND:
        return zero ? term_const(p, width, 0) : ones ? a : NONE;
    case TERM_MUL:
        return zero ? term_const(p, width, 0) : k == 1 ? a : NONE;
    case TERM_UDIV:
        return k == 1 ? a : NONE;
    case TERM_ULT:
        return zero ? term_bool(p, false) : NONE;
    case TERM_ULE:
        return ones ? term_bool(p, true) : NONE;
    case TERM_EQ:
        return width > 1 ? NONE : zero ? term_not(p, a) : a;
    default:
        return NONE;
    }
}

/* (x + j) + k, and comparisons for equality of what was added to, widened or chosen. */
static term regrouped(struct term_pool *p, enum term_op op, term a, term k)
{
    struct term_node n = *term_at(p, a);
    term_bits value = term_value(p, k);
    if (op == TERM_ADD && n.op == TERM_ADD && term_is_const(p, n.b))
        return term_binary(p, TERM_ADD, n.a,
                           term_const(p, n.width, term_value(p, n.b) + value));
    if (op != TERM_EQ)
        return NONE;
    if (n.op == TERM_ADD && term_is_const(p, n.b))
        return term_eq(p, n.a, term_const(p, n.width, value - term_value(p, n.b)));
    if (n.op == TERM_ZEXT || n.op == TERM_SEXT) {
        unsigned inner = term_width(p, n.a);
        term_bits low = value & term_mask(inner);
        term_bits back = n.op == TERM_ZEXT ? low : (term_bits)term_signed(low, inner);
        if ((back & term_mask(n.width)) != value)
            return term_bool(p, false);
        return term_eq(p, n.a, term_const(p, inner, low));
    }
    if (n.op == TERM_ITE && term_is_const(p, n.b) && term_is_const(p, n.c)) {
        bool yes = n.b == k, no = n.c == k;
        return yes && no ? term_bool(p, true)
               : yes     ? n.a
               : no      ? term_not(p, n.a)
                         : term_bool(p, false);
    }
    return NONE;
}

term term_binary(struct term_pool *p, enum term_op op, term a, term b)
{
    unsigned width = term_width(p, a);
    CHECK(width == term_width(p, b));
    CHECK((op >= TERM_ADD && op <= TERM_XOR) || is_comparison(op));
    unsigned result = is_comparison(op) ? 1 : width;
    bool const_a = term_is_const(p, a), const_b = term_is_const(p, b);
    if (const_a && const_b)
        return term_const(p, result, term_fold(op, width, term_value(p, a), term_value(p, b)));
    if (is_commutative(op) && (const_a || (!const_b && a > b))) {
        term other = a;
        a = b;
        b = other;
        const_b = const_a;
    }
    if (op == TERM_SUB && const_b)
        return term_binary(p, TERM_ADD, a, term_const(p, width, -term_value(p, b)));
    term simple = a == b ? with_itself(p, op, a) : NONE;
    if (simple == NONE && const_b)
        simple = with_const(p, op, a, term_value(p, b));
    if (simple == NONE && const_b)
        simple = regrouped(p, op, a, b);
    if (simple != NONE)
        return simple;
    return intern(
        p, (struct term_node){.op = (uint8_t)op, .width = (uint8_t)result, .a = a, .b = b});
}

term term_not(struct term_pool *p, term a)
{
    struct term_node n = *term_at(p, a);
    if (n.op == TERM_CONST)
        return term_const(p, n.width, ~term_value(p, a));
    if (n.op == TERM_NOT)
        return n.a;
    return intern(p, (struct term_node){.op = TERM_NOT, .width = n.width, .a = a});
}

term term_ite(struct term_pool *p, term condition, term yes, term no)
{
    unsigned width = term_width(p, yes);
    CHECK(term_width(p, condition) == 1 && width == term_width(p, no));
    if (term_is_const(p, condition))
        return term_value(p, condition) ? yes : no;
    if (yes == no)
        return yes;
    if (width == 1 && term_is_const(p, yes) && term_is_const(p, no))
        return term_value(p, yes) ? condition : term_not(p, condition);
    return intern(
        p, (struct term_node){
               .op = TERM_ITE, .width = (uint8_t)width, .a = condition, .b = yes, .c = no});
}

static term extend(struct term_pool *p, enum term_op op, term a, unsigned width)
{
    struct term_node n = *term_at(p, a);
    CHECK(width >= n.width && width <= TERM_WIDTH_MAX);
    if (width == n.width)
        return a;
    if (n.op == TERM_CONST) {
        term_bits value = term_value(p, a);
        return term_const(p, width,
                          op == TERM_SEXT ? (term_bits)term_signed(value, n.width) : value);
    }
    if (n.op == op || (op == TERM_SEXT && n.op == TERM_ZEXT))
        return extend(p, n.op, n.a, width);
    return intern(p, (struct term_node){.op = (uint8_t)op, .width = (uint8_t)width, .a = a});
}

term term_zext(struct term_pool *p, term a, unsigned width)
{
    return extend(p, TERM_ZEXT, a, width);
}

term term_sext(struct term_pool *p, term a, unsigned width)
{
    return extend(p, TERM_SEXT, a, width);
}

term term_extract(struct term_pool *p, term a, unsigned low, unsigned width)
{
    struct term_node n = *term_at(p, a);
    CHECK(width >= 1 && low + width <= n.width);
    if (width == n.width)
        return a;
    if (n.op == TERM_CONST)
        return term_const(p, width, term_value(p, a) >> low);
    if (n.op == TERM_EXTRACT)
        return term_extract(p, n.a, n.low + low, width);
    if (n.op == TERM_CONCAT) {
        unsigned split = term_width(p, n.b);
        if (low >= split)
            return term_extract(p, n.a, low - split, width);
        if (low + width <= split)
            return term_extract(p, n.b, low, width);
    }
    if (n.op == TERM_ZEXT || n.op == TERM_SEXT) {
        unsigned inner = term_width(p, n.a);
        if (low + width <= inner)
            return term_extract(p, n.a, low, width);
        if (low == 0)
            return extend(p, n.op, n.a, width);
        if (n.op == TERM_ZEXT && low >= inner)
            return term_const(p, width, 0);
    }
    return intern(
        p, (struct term_node){
               .op = TERM_EXTRACT, .width = (uint8_t)width, .low = (uint16_t)low, .a = a});
}

term term_concat(struct term_pool *p, term high, term low)
{
    struct term_node h = *term_at(p, high), l = *term_at(p, low);
    unsigned width = (unsigned)h.width + l.width;
    CHECK(width <= TERM_WIDTH_MAX);
    if (h.op == TERM_CONST && l.op == TERM_CONST)
        return term_const(p, width, term_value(p, high) << l.width | term_value(p, low));
    if (term_is(p, high, 0))
        return term_zext(p, low, width);
    /* the bytes of one value, put together again */
    if (h.op == TERM_EXTRACT && l.op == TERM_EXTRACT && h.a == l.a && h.low == l.low + l.width)
        return term_extract(p, h.a, l.low, width);
    return intern(
        p, (struct term_node){.op = TERM_CONCAT, .width = (uint8_t)width, .a = high, .b = low});
}

/* ---- evaluating -------------------------------------------------------------------------- */

enum { UNSEEN, KNOWN };

struct term_env {
    const struct term_pool *pool; /* borrowed */
    VEC(uint8_t) state;           /* by term */
    VEC(term_bits) value;
    VEC(term) stack;
};

struct term_env *term_env_new(const struct term_pool *p)
{
    struct term_env *e = mem_zeroed(1, sizeof *e);
    e->pool = p;
    return e;
}

void term_env_free(struct term_env *e)
{
    if (!e)
        return;
    vec_done(&e->state);
    vec_done(&e->value);
    vec_done(&e->stack);
    free(e);
}

static void make_room(struct term_env *e)
{
    uint32_t count = e->pool->nodes.len;
    if (e->state.len >= count)
        return;
    vec_reserve(&e->state, count);
    vec_reserve(&e->value, count);
    memset(e->state.at + e->state.len, UNSEEN, count - e->state.len);
    e->state.len = e->value.len = count;
}

static void know(struct term_env *e, term t, term_bits value)
{
    e->state.at[t] = KNOWN;
    e->value.at[t] = value;
}

void term_env_set(struct term_env *e, term var, term_bits value)
{
    make_room(e);
    CHECK(e->pool->nodes.at[var].op == TERM_VAR && e->state.at[var] != KNOWN);
    know(e, var, value & term_mask(e->pool->nodes.at[var].width));
}

/* Of a node whose children are known. */
static term_bits eval_node(const struct term_env *e, const struct term_node *n)
{
    term_bits a = e->value.at[n->a], mask = term_mask(n->width);
    unsigned width = e->pool->nodes.at[n->a].width;
    switch (n->op) {
    case TERM_NOT:
        return ~a & mask;
    case TERM_ITE:
        return a ? e->value.at[n->b] : e->value.at[n->c];
    case TERM_ZEXT:
        return a;
    case TERM_SEXT:
        return (term_bits)term_signed(a, width) & mask;
    case TERM_EXTRACT:
        return a >> n->low & mask;
    case TERM_CONCAT:
        return a << e->pool->nodes.at[n->b].width | e->value.at[n->b];
    default:
        return term_fold(n->op, width, a, e->value.at[n->b]);
    }
}

unsigned term_child_count(const struct term_node *n)
{
    switch (n->op) {
    case TERM_CONST:
    case TERM_VAR:
        return 0;
    case TERM_NOT:
    case TERM_ZEXT:
    case TERM_SEXT:
    case TERM_EXTRACT:
        return 1;
    case TERM_ITE:
        return 3;
    default:
        return 2;
    }
}

bool *term_parts(const struct term_pool *p, term of)
{
    bool *out = mem_zeroed(term_count(p) + 1, sizeof *out);
    out[of] = true;
    for (term t = of + 1; t-- > 0;) {
        const struct term_node *n = term_at(p, t);
        const term child[3] = {n->a, n->b, n->c};
        for (unsigned i = 0; out[t] && i < term_child_count(n); i++)
            out[child[i]] = true;
    }
    return out;
}

bool *term_dependents(const struct term_pool *p, term var)
{
    bool *out = mem_zeroed(term_count(p) + 1, sizeof *out);
    out[var] = true;
    for (term t = var + 1; t < term_count(p); t++) { /* children have smaller ids */
        const struct term_node *n = term_at(p, t);
        const term child[3] = {n->a, n->b, n->c};
        for (unsigned i = 0; i < term_child_count(n); i++)
            out[t] |= out[child[i]];
    }
    return out;
}

/* Puts the first child that is not known yet on the stack; false: there is none. */
static bool descend(struct term_env *e, const struct term_node *n)
{
    const term child[3] = {n->a, n->b, n->c};
    for (unsigned i = 0; i < term_child_count(n); i++)
        if (e->state.at[child[i]] != KNOWN) {
            vec_push(&e->stack, child[i]);
            return true;
        }
    return false;
}

bool term_eval(struct term_env *e, term t, term_bits *out)
{
    make_room(e);
    e->stack.len = 0;
    vec_push(&e->stack, t);
    while (e->stack.len) {
        term top = e->stack.at[e->stack.len - 1];
        const struct term_node *n = &e->pool->nodes.at[top];
        if (e->state.at[top] == KNOWN) {
            e->stack.len--;
            continue;
        }
        if (n->op == TERM_VAR)
            return false;
        if (n->op == TERM_CONST)
            know(e, top, e->pool->values.at[n->a]);
        else if (!descend(e, n))
            know(e, top, eval_node(e, n));
    }
    *out = e->value.at[t];
    return true;
}
