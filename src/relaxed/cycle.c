/* SPDX-License-Identifier: Apache-2.0
 *
 * cycle: see relaxed.h. What a processor may do is a question of cycles: program order, who
 * read from whom, the modification orders, and each read before the stores behind the one
 * that it has read. x86 keeps all of program order but a store before a later load (Owens,
 * Sarkar, Sewell 2009); who takes turns keeps that, too. As programs are compiled usually, a
 * seq_cst store is an exchange, and an update or fence of that kind empties the store
 * buffer. */
#include "relaxed/relaxed.h"

static bool is_fence(const struct relaxed_step *s)
{
    switch (s->op) {
    case RELAXED_FENCE:
        return s->order == WORD_VALUE(ORDER, SEQ_CST);
    case RELAXED_STORE:
        return s->order == WORD_VALUE(ORDER, SEQ_CST);
    case RELAXED_LOAD:
        return s->is_cas; /* locked, though it failed */
    case RELAXED_UPDATE:
    case RELAXED_TAKE:
    case RELAXED_LEAVE:
    case RELAXED_PIN:
    case RELAXED_CREATE:
    case RELAXED_JOIN:
    case RELAXED_START:
        return true;
    default:
        return false;
    }
}

/* Fences of other kinds are no instructions; plain accesses follow the atomic ones. */
static bool is_node(const struct relaxed_step *s)
{
    return s->op <= RELAXED_UPDATE || is_fence(s);
}

typedef VEC(uint32_t) targets;

static void edge(targets *next, uint32_t from, uint32_t to)
{
    if (from != NONE && to != NONE && from != to)
        vec_push(&next[from], to);
}

struct latest {
    uint32_t any, load, store; /* the last ones; a fence is both */
    uint32_t fence;
};

/* To each step from the nearest ones before it that stay before it. */
static void program_order(const struct relaxed_graph *g, bool keeps_all, targets *next)
{
    struct latest *last = mem_get((g->thread_count + 1) * sizeof *last);
    for (uint32_t t = 0; t <= g->thread_count; t++)
        last[t] = (struct latest){NONE, NONE, NONE, NONE};
    for (uint32_t i = 0; i < g->steps.len; i++) {
        const struct relaxed_step *s = &g->steps.at[i];
        struct latest *l = &last[s->thr];
        if (!is_node(s))
            continue;
        bool both = is_fence(s) || s->op == RELAXED_UPDATE,
             load = both || s->op == RELAXED_LOAD;
        bool store = both || s->op == RELAXED_STORE;
        if (keeps_all) {
            edge(next, l->any, i);
        } else {
            edge(next, l->load, i);
            edge(next, l->fence, i);
            if (store)
                edge(next, l->store, i);
        }
        l->any = i;
        l->load = load ? i : l->load;
        l->store = store ? i : l->store;
        l->fence = both ? i : l->fence;
    }
    free(last);
}

static void between_threads(const struct relaxed_graph *g, targets *next)
{
    uint32_t *last_of = mem_get((g->thread_count + 1) * sizeof *last_of);
    uint32_t *created_by = mem_get((g->thread_count + 1) * sizeof *created_by);
    uint32_t *last_at = mem_get((g->object_count + 1) * sizeof *last_at);
    for (uint32_t t = 0; t <= g->thread_count; t++)
        last_of[t] = created_by[t] = NONE;
    for (uint32_t o = 0; o <= g->object_count; o++)
        last_at[o] = NONE;
    for (uint32_t i = 0; i < g->steps.len; i++) {
        const struct relaxed_step *s = &g->steps.at[i];
        if (!is_node(s))
            continue;
        if (last_of[s->thr] == NONE)
            edge(next, created_by[s->thr], i);
        last_of[s->thr] = i;
        if (s->op == RELAXED_CREATE && s->peer < g->thread_count)
            created_by[s->peer] = i;
        if (s->op == RELAXED_JOIN && s->peer < g->thread_count)
            edge(next, last_of[s->peer], i);
        if (s->op == RELAXED_TAKE || s->op == RELAXED_LEAVE) {
            edge(next, last_at[s->loc], i);
            last_at[s->loc] = i;
        }
        for (uint32_t t = 0; s->op == RELAXED_PIN && t < g->thread_count; t++)
            edge(next, last_of[t], i);
        if (s->from != NONE) {
            uint32_t writer = g->stores.at[s->from].step, behind = g->stores.at[s->from].next;
            if (writer != NONE && g->steps.at[writer].thr != s->thr)
                edge(next, writer, i);
            if (behind != NONE)
                edge(next, i, g->stores.at[behind].step);
        }
    }
    for (uint32_t i = 0; i < g->stores.len; i++)
        if (g->stores.at[i].step != NONE && g->stores.at[i].next != NONE)
            edge(next, g->stores.at[i].step, g->stores.at[g->stores.at[i].next].step);
    free(last_of);
    free(created_by);
    free(last_at);
}

/* Takes away what nothing leads to, again and again: what is left is on a cycle, or behind
 * one. */
static bool has_cycle(const struct relaxed_graph *g, targets *next)
{
    uint32_t *before = mem_zeroed(g->steps.len + 1, sizeof *before);
    VEC(uint32_t) ready = {0};
    uint32_t gone = 0;
    for (uint32_t i = 0; i < g->steps.len; i++)
        for (uint32_t k = 0; k < next[i].len; k++)
            before[next[i].at[k]]++;
    for (uint32_t i = 0; i < g->steps.len; i++)
        if (!before[i])
            vec_push(&ready, i);
    while (ready.len > 0) {
        uint32_t i = ready.at[--ready.len];
        gone++;
        for (uint32_t k = 0; k < next[i].len; k++)
            if (!--before[next[i].at[k]])
                vec_push(&ready, next[i].at[k]);
    }
    vec_done(&ready);
    free(before);
    return gone < g->steps.len;
}

static bool is_possible(const struct relaxed_graph *g, bool keeps_all)
{
    targets *next = mem_zeroed(g->steps.len + 1, sizeof *next);
    program_order(g, keeps_all, next);
    between_threads(g, next);
    bool cycle = has_cycle(g, next);
    for (uint32_t i = 0; i < g->steps.len; i++)
        vec_done(&next[i]);
    free(next);
    return !cycle;
}

enum relaxed_where relaxed_where(const struct relaxed_graph *g)
{
    return is_possible(g, true)    ? RELAXED_ANYWHERE
           : is_possible(g, false) ? RELAXED_ON_X86
                                   : RELAXED_ELSEWHERE;
}
