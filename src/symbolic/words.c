/* SPDX-License-Identifier: Apache-2.0
 *
 * words: see words.h. */
#include "symbolic/words.h"

#include "base/err.h"
#include "finding/finding.h"
#include "heddle/format.h"

#include <inttypes.h>

enum { DEPTH_MAX = 8, CONDITION_MAX = 60 };

uint32_t words_site(const struct words *w, node_id n)
{
    const struct node *node = &w->p->nodes.at[n];
    if (node->site != NONE)
        return node->site;
    ev_id e = node->event == NO_EVENT ? NONE : model_find(w->m, node->event);
    return e == NONE ? 0 : model_site(w->m, e);
}

void words_add_site(struct str *out, const struct words *w, node_id n)
{
    site_name(out, &w->m->trace->sites.at[words_site(w, n)]);
}

void words_add_thread(struct str *out, const struct words *w, node_id n)
{
    thread_name(out, w->m->trace, w->p->nodes.at[n].thr);
}

void words_add_name(struct str *out, const struct words *w, node_id n)
{
    ev_id e = model_find(w->m, w->p->nodes.at[n].event);
    const struct def_site *s = &w->m->trace->sites.at[w->p->nodes.at[n].site];
    if (s->name.len > 0)
        str_bytes(out, s->name.at, s->name.len);
    else if (e != NONE)
        cell_name(out, w->m, model_cells(w->m, e).first);
}

void words_add_object(struct str *out, const struct words *w, node_id n)
{
    const struct model *m = w->m;
    ev_id e = model_find(m, w->p->nodes.at[n].event);
    const struct cell *c = e == NONE ? NULL : &m->cells[model_cells(m, e).first];
    struct namer namer = {.t = m->trace};
    struct touched x = {.site = &m->trace->sites.at[w->p->nodes.at[n].site],
                        .kind = EV_READ,
                        .o = c && c->object != NONE ? space_object(m->space, c->object) : NULL,
                        .addr = c ? c->addr : 0,
                        .bytes = c ? c->len : 0};
    if (!name_expression(&namer, out, &x) && c)
        name_object(&namer, out, x.o, x.addr);
    namer_done(&namer);
}

void words_add_value(struct str *out, const struct words *w, term_bits value, unsigned width)
{
    __extension__ __int128 number = term_signed(value, width);
    obj_id id =
        width == 64 && value > UINT32_MAX ? space_find(w->m->space, (uint64_t)value) : NONE;
    struct namer namer = {.t = w->m->trace};
    if (id != NONE)
        name_object(&namer, out, space_object(w->m->space, id), (uint64_t)value);
    else if (width > 64 || number < -65536 || number > UINT32_MAX)
        str_add(out, "0x%" PRIx64, (uint64_t)(value & term_mask(width)));
    else
        str_add(out, "%" PRId64, (int64_t)number);
}

/* ---- conditions -------------------------------------------------------------------------- */

static const char *const signs[TERM_OP_COUNT] = {
    [TERM_ADD] = "+",   [TERM_SUB] = "-",   [TERM_MUL] = "*",  [TERM_UDIV] = "/",
    [TERM_SDIV] = "/",  [TERM_UREM] = "%",  [TERM_SREM] = "%", [TERM_SHL] = "<<",
    [TERM_LSHR] = ">>", [TERM_ASHR] = ">>", [TERM_AND] = "&",  [TERM_OR] = "|",
    [TERM_XOR] = "^",   [TERM_EQ] = "==",   [TERM_ULT] = "<",  [TERM_ULE] = "<=",
    [TERM_SLT] = "<",   [TERM_SLE] = "<=",
};

/* Of a comparison with its sides turned, or of its opposite, or both. */
static const char *sign_of(enum term_op op, bool turned, bool is_not)
{
    static const char *const less[2][2] = {{"<", ">="}, {">", "<="}};
    static const char *const at_most[2][2] = {{"<=", ">"}, {">=", "<"}};
    if (op == TERM_EQ)
        return is_not ? "!=" : "==";
    return op == TERM_ULT || op == TERM_SLT ? less[turned][is_not] : at_most[turned][is_not];
}

/* The access that gives a variable its value. */
static node_id reader_of(const struct problem *p, term var)
{
    for (node_id n = 0; n < p->nodes.len; n++) {
        const struct node *node = &p->nodes.at[n];
        for (uint32_t i = 0; i < node->read_count; i++)
            if (p->readings.at[node->read_first + i].var == var)
                return n;
    }
    return NONE;
}

static bool add_term(struct str *out, const struct words *w, term t, bool is_not,
                     unsigned depth);

static bool add_sides(struct str *out, const struct words *w, term a, const char *sign, term b,
                      unsigned depth)
{
    if (!add_term(out, w, a, false, depth + 1))
        return false;
    str_add(out, " %s ", sign);
    return add_term(out, w, b, false, depth + 1);
}

static bool is_truth(const struct term_pool *pool, term t)
{
    const struct term_node *n = term_at(pool, t);
    return n->width == 1 ||
           ((n->op == TERM_ZEXT || n->op == TERM_SEXT) && term_width(pool, n->a) == 1);
}

/* Constants stand on the right; the comparison of a truth with 0 is that truth, or its
 * opposite. */
static bool add_comparison(struct str *out, const struct words *w, const struct term_node *n,
                           bool is_not, unsigned depth)
{
    const struct term_pool *pool = w->p->pool;
    bool turn = term_is_const(pool, n->a);
    term left = turn ? n->b : n->a, right = turn ? n->a : n->b;
    if (n->op == TERM_EQ && term_is_const(pool, right) && is_truth(pool, left))
        return add_term(out, w, left, is_not != (term_value(pool, right) == 0), depth + 1);
    const char *sign = sign_of(n->op, turn, is_not);
    return add_sides(out, w, left, sign, right, depth);
}

static bool add_inner(struct str *out, const struct words *w, const struct term_node *n,
                      bool is_not, unsigned depth)
{
    bool is_bool = n->width == 1;
    if (n->op == TERM_ITE || n->op == TERM_CONCAT || (n->op == TERM_EXTRACT && n->low > 0))
        return false;
    if (n->op == TERM_ZEXT || n->op == TERM_SEXT || n->op == TERM_EXTRACT)
        return add_term(out, w, n->a, is_not, depth);
    if (n->op == TERM_NOT && is_bool)
        return add_term(out, w, n->a, !is_not, depth);
    if (n->op >= TERM_EQ && n->op <= TERM_SLE)
        return add_comparison(out, w, n, is_not, depth);
    if (is_not || !signs[n->op])
        return false;
    if (is_bool && (n->op == TERM_AND || n->op == TERM_OR))
        return add_sides(out, w, n->a, n->op == TERM_AND ? "and" : "or", n->b, depth);
    str_char(out, '(');
    bool good = add_sides(out, w, n->a, signs[n->op], n->b, depth);
    str_char(out, ')');
    return good;
}

static bool add_term(struct str *out, const struct words *w, term t, bool is_not,
                     unsigned depth)
{
    const struct term_node n = *term_at(w->p->pool, t);
    if (depth > DEPTH_MAX || out->len > UINT16_MAX)
        return false;
    if (n.op == TERM_CONST) {
        words_add_value(out, w, term_value(w->p->pool, t), n.width);
        return !is_not;
    }
    if (n.op != TERM_VAR)
        return add_inner(out, w, &n, is_not, depth);
    node_id reader = reader_of(w->p, t);
    if (reader == NONE)
        return false;
    words_add_object(out, w, reader);
    if (n.width == 1 || is_not)
        str_add(out, " is %s", is_not ? "0" : "not 0");
    return true;
}

bool words_add_condition(struct str *out, const struct words *w, term condition)
{
    size_t before = out->len;
    if (add_term(out, w, condition, false, 0) && out->len - before <= CONDITION_MAX)
        return true;
    out->len = before;
    if (out->at)
        out->at[before] = 0;
    return false;
}
