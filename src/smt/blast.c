/* SPDX-License-Identifier: Apache-2.0
 *
 * blast: gates are made once for the same inputs, and not at all where one of them is constant.
 * Division is long division; by zero it gives what term.h says without a special case. */
#include "smt/blast.h"

#include "base/err.h"

#include <string.h>

typedef lit word[TERM_WIDTH_MAX + 1]; /* a value in the making */

void blast_init(struct blaster *b)
{
    b->last = BLAST_TRUE;
    b->clause(b->arg, (const lit[]){BLAST_TRUE}, 1);
}

void blast_done(struct blaster *b)
{
    vec_done(&b->at);
    vec_done(&b->bits);
    vec_done(&b->list);
    vec_done(&b->stack);
    map_done(&b->gates);
}

lit blast_fresh(struct blaster *b)
{
    return ++b->last;
}

/* ---- gates ------------------------------------------------------------------------------- */

static bool is_const(lit a)
{
    return a == BLAST_TRUE || a == -BLAST_TRUE;
}

/* The gate of these inputs, made by whoever gets 0. And: smaller input first; xor: negative. */
static lit *gate_of(struct blaster *b, lit x, lit y)
{
    uint64_t hash = hash_u64((uint64_t)(uint32_t)x << 32 | (uint32_t)y);
    uint32_t *slot = map_at(&b->gates, hash);
    for (uint32_t i = *slot; i != NONE; i = b->list.at[i].next)
        if (b->list.at[i].a == x && b->list.at[i].b == y)
            return &b->list.at[i].out;
    vec_push(&b->list, (struct gate){x, y, 0, *slot});
    *slot = b->list.len - 1;
    return &b->list.at[*slot].out;
}

static void clause3(struct blaster *b, lit x, lit y, lit z)
{
    b->clause(b->arg, (const lit[]){x, y, z}, 3);
}

static lit gate_and(struct blaster *b, lit x, lit y)
{
    if (x == -BLAST_TRUE || y == -BLAST_TRUE || x == -y)
        return -BLAST_TRUE;
    if (x == BLAST_TRUE || x == y)
        return y;
    if (y == BLAST_TRUE)
        return x;
    lit *out = gate_of(b, x < y ? x : y, x < y ? y : x);
    if (*out)
        return *out;
    lit g = *out = blast_fresh(b);
    b->clause(b->arg, (const lit[]){-g, x}, 2);
    b->clause(b->arg, (const lit[]){-g, y}, 2);
    clause3(b, g, -x, -y);
    return g;
}

static lit gate_or(struct blaster *b, lit x, lit y)
{
    return -gate_and(b, -x, -y);
}

/* Inputs are made positive, larger first, so that it is never taken for an and. */
static lit gate_xor(struct blaster *b, lit x, lit y)
{
    if (is_const(x))
        return x > 0 ? -y : y;
    if (is_const(y))
        return y > 0 ? -x : x;
    bool flip = (x < 0) != (y < 0);
    x = x < 0 ? -x : x;
    y = y < 0 ? -y : y;
    if (x == y)
        return flip ? BLAST_TRUE : -BLAST_TRUE;
    lit *out = gate_of(b, x > y ? x : y, x > y ? y : x), g = *out;
    if (!g) {
        g = *out = blast_fresh(b);
        clause3(b, -g, x, y);
        clause3(b, -g, -x, -y);
        clause3(b, g, -x, y);
        clause3(b, g, x, -y);
    }
    return flip ? -g : g;
}

static lit gate_ite(struct blaster *b, lit c, lit x, lit y)
{
    if (is_const(c))
        return c > 0 ? x : y;
    if (x == y)
        return x;
    if (x == -y)
        return -gate_xor(b, c, x);
    if (is_const(x))
        return x > 0 ? gate_or(b, c, y) : gate_and(b, -c, y);
    if (is_const(y))
        return y > 0 ? gate_or(b, -c, x) : gate_and(b, c, x);
    lit g = blast_fresh(b);
    clause3(b, -c, -x, g);
    clause3(b, -c, x, -g);
    clause3(b, c, -y, g);
    clause3(b, c, y, -g);
    clause3(b, -x, -y, g);
    clause3(b, x, y, -g);
    return g;
}

/* ---- words ------------------------------------------------------------------------------- */

/* out may be x or y. */
static void add_words(struct blaster *b, unsigned width, const lit *x, const lit *y, bool minus,
                      lit *out)
{
    lit carry = minus ? BLAST_TRUE : -BLAST_TRUE;
    for (unsigned i = 0; i < width; i++) {
        lit a = x[i], c = minus ? -y[i] : y[i];
        lit sum = gate_xor(b, a, c);
        lit both = gate_and(b, a, c), one = gate_and(b, sum, carry);
        out[i] = gate_xor(b, sum, carry);
        carry = gate_or(b, both, one);
    }
}

static lit less(struct blaster *b, unsigned width, const lit *x, const lit *y)
{
    lit lower = -BLAST_TRUE;
    for (unsigned i = 0; i < width; i++)
        lower = gate_ite(b, gate_xor(b, x[i], y[i]), y[i], lower);
    return lower;
}

static lit less_signed(struct blaster *b, unsigned width, const lit *x, const lit *y)
{
    word u, v;
    memcpy(u, x, width * sizeof *u);
    memcpy(v, y, width * sizeof *v);
    u[width - 1] = -u[width - 1];
    v[width - 1] = -v[width - 1];
    return less(b, width, u, v);
}

static lit equal(struct blaster *b, unsigned width, const lit *x, const lit *y)
{
    lit same = BLAST_TRUE;
    for (unsigned i = 0; i < width; i++)
        same = gate_and(b, same, -gate_xor(b, x[i], y[i]));
    return same;
}

static void choose(struct blaster *b, unsigned width, lit c, const lit *x, const lit *y,
                   lit *out)
{
    for (unsigned i = 0; i < width; i++)
        out[i] = gate_ite(b, c, x[i], y[i]);
}

static void negate_if(struct blaster *b, unsigned width, lit c, const lit *x, lit *out)
{
    word zero, minus;
    for (unsigned i = 0; i < width; i++)
        zero[i] = -BLAST_TRUE;
    add_words(b, width, zero, x, true, minus);
    choose(b, width, c, minus, x, out);
}

static void multiply(struct blaster *b, unsigned width, const lit *x, const lit *y, lit *out)
{
    word sum, row;
    for (unsigned i = 0; i < width; i++)
        sum[i] = -BLAST_TRUE;
    for (unsigned k = 0; k < width; k++) {
        if (y[k] == -BLAST_TRUE)
            continue;
        for (unsigned i = 0; i < width; i++)
            row[i] = i < k ? -BLAST_TRUE : gate_and(b, x[i - k], y[k]);
        add_words(b, width, sum, row, false, sum);
    }
    memcpy(out, sum, width * sizeof *out);
}

static void divide(struct blaster *b, unsigned width, const lit *x, const lit *y, lit *quotient,
                   lit *rest)
{
    word r, wide, less_y;
    for (unsigned i = 0; i <= width; i++) {
        r[i] = -BLAST_TRUE;
        wide[i] = i < width ? y[i] : -BLAST_TRUE;
    }
    for (unsigned k = width; k-- > 0;) {
        memmove(r + 1, r, width * sizeof *r);
        r[0] = x[k];
        quotient[k] = -less(b, width + 1, r, wide);
        add_words(b, width + 1, r, wide, true, less_y);
        choose(b, width + 1, quotient[k], less_y, r, r);
    }
    memcpy(rest, r, width * sizeof *rest);
}

static void divide_signed(struct blaster *b, unsigned width, const lit *x, const lit *y,
                          bool wants_rest, lit *out)
{
    word u, v, quotient, rest;
    lit minus_x = x[width - 1], minus_y = y[width - 1];
    negate_if(b, width, minus_x, x, u);
    negate_if(b, width, minus_y, y, v);
    divide(b, width, u, v, quotient, rest);
    negate_if(b, width, wants_rest ? minus_x : gate_xor(b, minus_x, minus_y),
              wants_rest ? rest : quotient, out);
}

static void shift(struct blaster *b, enum term_op op, unsigned width, const lit *x,
                  const lit *by, lit *out)
{
    word now, moved;
    lit fill = op == TERM_ASHR ? x[width - 1] : -BLAST_TRUE;
    memcpy(now, x, width * sizeof *now);
    for (unsigned k = 0; k < width; k++) {
        uint64_t step = k < 8 ? 1u << k : TERM_WIDTH_MAX;
        for (unsigned i = 0; i < width; i++) {
            if (op == TERM_SHL)
                moved[i] = i >= step ? now[i - step] : fill;
            else
                moved[i] = step < width - i ? now[i + step] : fill;
        }
        choose(b, width, by[k], moved, now, now);
    }
    memcpy(out, now, width * sizeof *out);
}

/* ---- terms ------------------------------------------------------------------------------- */

static void of_binary(struct blaster *b, enum term_op op, unsigned width, const lit *x,
                      const lit *y, lit *out)
{
    word other;
    switch (op) {
    case TERM_ADD:
    case TERM_SUB:
        add_words(b, width, x, y, op == TERM_SUB, out);
        return;
    case TERM_MUL:
        multiply(b, width, x, y, out);
        return;
    case TERM_UDIV:
        divide(b, width, x, y, out, other);
        return;
    case TERM_UREM:
        divide(b, width, x, y, other, out);
        return;
    case TERM_SDIV:
    case TERM_SREM:
        divide_signed(b, width, x, y, op == TERM_SREM, out);
        return;
    case TERM_SHL:
    case TERM_LSHR:
    case TERM_ASHR:
        shift(b, op, width, x, y, out);
        return;
    case TERM_EQ:
        out[0] = equal(b, width, x, y);
        return;
    case TERM_ULT:
        out[0] = less(b, width, x, y);
        return;
    case TERM_ULE:
        out[0] = -less(b, width, y, x);
        return;
    case TERM_SLT:
        out[0] = less_signed(b, width, x, y);
        return;
    case TERM_SLE:
        out[0] = -less_signed(b, width, y, x);
        return;
    default:
        break;
    }
    for (unsigned i = 0; i < width; i++)
        out[i] = op == TERM_AND  ? gate_and(b, x[i], y[i])
                 : op == TERM_OR ? gate_or(b, x[i], y[i])
                                 : gate_xor(b, x[i], y[i]);
}

static void copy_bits(const struct blaster *b, term t, lit *out)
{
    memcpy(out, b->bits.at + b->at.at[t], term_width(b->pool, t) * sizeof *out);
}

static void of_leaf(struct blaster *b, term t, const struct term_node *n, lit *out)
{
    for (unsigned i = 0; i < n->width; i++)
        out[i] = n->op == TERM_VAR                 ? blast_fresh(b)
                 : term_value(b->pool, t) >> i & 1 ? BLAST_TRUE
                                                   : -BLAST_TRUE;
}

/* Of a term whose children are there. */
static void make_bits(struct blaster *b, term t, const struct term_node *n, lit *out)
{
    word x, y, z;
    unsigned inner = 0;
    if (n->op == TERM_CONST || n->op == TERM_VAR) {
        of_leaf(b, t, n, out);
        return;
    }
    inner = term_width(b->pool, n->a);
    copy_bits(b, n->a, x);
    switch (n->op) {
    case TERM_NOT:
        for (unsigned i = 0; i < n->width; i++)
            out[i] = -x[i];
        return;
    case TERM_ITE:
        copy_bits(b, n->b, y);
        copy_bits(b, n->c, z);
        choose(b, n->width, x[0], y, z, out);
        return;
    case TERM_ZEXT:
    case TERM_SEXT:
        for (unsigned i = 0; i < n->width; i++)
            out[i] = i < inner ? x[i] : n->op == TERM_SEXT ? x[inner - 1] : -BLAST_TRUE;
        return;
    case TERM_EXTRACT:
        memcpy(out, x + n->low, n->width * sizeof *out);
        return;
    case TERM_CONCAT:
        copy_bits(b, n->b, out);
        memcpy(out + term_width(b->pool, n->b), x, inner * sizeof *out);
        return;
    default:
        copy_bits(b, n->b, y);
        of_binary(b, n->op, inner, x, y, out);
    }
}

const lit *blast_find(const struct blaster *b, term t)
{
    return t < b->at.len && b->at.at[t] != NONE ? b->bits.at + b->at.at[t] : NULL;
}

const lit *blast_term(struct blaster *b, term t)
{
    while (b->at.len < term_count(b->pool))
        vec_push(&b->at, NONE);
    b->stack.len = 0;
    vec_push(&b->stack, t);
    while (b->stack.len) {
        term top = b->stack.at[b->stack.len - 1];
        struct term_node n = *term_at(b->pool, top);
        const term child[3] = {n.a, n.b, n.c};
        unsigned missing = 0;
        for (unsigned i = 0; b->at.at[top] == NONE && i < term_child_count(&n); i++)
            if (b->at.at[child[i]] == NONE) {
                vec_push(&b->stack, child[i]);
                missing++;
            }
        if (missing)
            continue;
        b->stack.len--;
        if (b->at.at[top] != NONE)
            continue;
        word out;
        make_bits(b, top, &n, out);
        b->at.at[top] = b->bits.len;
        for (unsigned i = 0; i < n.width; i++)
            vec_push(&b->bits, out[i]);
    }
    return b->bits.at + b->at.at[t];
}
