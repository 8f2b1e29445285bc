/* SPDX-License-Identifier: Apache-2.0
 *
 * flow: the control-flow graph of one function as flat arrays, and which blocks' ends decide
 * whether a block is reached (control dependence by post-dominators: Ferrante, Ottenstein,
 * Warren 1987; post-dominators as in Cooper, Harvey, Kennedy 2001). Blocks from which no end
 * of the function can be reached have no post-dominators and control nothing. */
#include "instr/pass.h"

static void number_blocks(struct flow *f, struct arena *mem, LLVMValueRef fn)
{
    f->count = LLVMCountBasicBlocks(fn);
    f->blocks = ARENA_NEW(mem, LLVMBasicBlockRef, f->count);
    LLVMGetBasicBlocks(fn, f->blocks);
    for (uint32_t b = 0; b < f->count; b++)
        *map_at(&f->index, key_of(f->blocks[b])) = b;
}

static void find_edges(struct flow *f, struct arena *mem)
{
    f->succ_at = ARENA_NEW(mem, uint32_t, f->count + 1);
    f->pred_at = ARENA_NEW(mem, uint32_t, f->count + 2);
    for (uint32_t b = 0; b < f->count; b++)
        f->succ_at[b + 1] =
            f->succ_at[b] + LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(f->blocks[b]));
    uint32_t edges = f->succ_at[f->count];
    f->succ = ARENA_NEW(mem, uint32_t, edges + 1);
    f->pred = ARENA_NEW(mem, uint32_t, edges + 1);
    for (uint32_t b = 0; b < f->count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(f->blocks[b]);
        for (uint32_t i = f->succ_at[b]; i < f->succ_at[b + 1]; i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, i - f->succ_at[b]);
            f->succ[i] = map_find(&f->index, key_of(to));
            f->pred_at[f->succ[i] + 2]++; /* one further on: the fill below moves it back */
        }
    }
    for (uint32_t b = 2; b < f->count + 2; b++)
        f->pred_at[b] += f->pred_at[b - 1];
    for (uint32_t b = 0; b < f->count; b++)
        for (uint32_t i = f->succ_at[b]; i < f->succ_at[b + 1]; i++)
            f->pred[f->pred_at[f->succ[i] + 1]++] = b;
}

/* Numbers blocks so that each comes after those it leads to: from the ends backwards. Returns
 * how many there are; order[] begins with the end of the function (count). */
static uint32_t reverse_postorder(const struct flow *f, struct arena *mem, uint32_t *order,
                                  uint32_t *number)
{
    uint32_t *stack = ARENA_NEW(mem, uint32_t, f->count + 1);
    uint32_t *next = ARENA_NEW(mem, uint32_t, f->count + 1);
    uint32_t found = f->count + 1, depth = 0;
    for (uint32_t b = 0; b <= f->count; b++)
        number[b] = NONE;
    for (uint32_t end = 0; end < f->count; end++) {
        if (f->succ_at[end] != f->succ_at[end + 1] || number[end] != NONE)
            continue;
        stack[depth++] = end;
        number[end] = 0;
        next[end] = f->pred_at[end];
        while (depth) {
            uint32_t b = stack[depth - 1];
            if (next[b] == f->pred_at[b + 1]) {
                order[--found] = b;
                depth--;
                continue;
            }
            uint32_t from = f->pred[next[b]++];
            if (number[from] == NONE) {
                number[from] = 0;
                next[from] = f->pred_at[from];
                stack[depth++] = from;
            }
        }
    }
    order[--found] = f->count;
    uint32_t len = f->count + 1 - found;
    memmove(order, order + found, len * sizeof *order);
    for (uint32_t i = 0; i < len; i++)
        number[order[i]] = i;
    return len;
}

static uint32_t meet(const uint32_t *above, const uint32_t *number, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (number[a] > number[b])
            a = above[a];
        while (number[b] > number[a])
            b = above[b];
    }
    return a;
}

/* above[b]: the nearest block that every way from b to the end passes; count is the end. */
static void post_dominators(const struct flow *f, struct arena *mem, uint32_t *above)
{
    uint32_t *order = ARENA_NEW(mem, uint32_t, f->count + 1);
    uint32_t *number = ARENA_NEW(mem, uint32_t, f->count + 1);
    uint32_t len = reverse_postorder(f, mem, order, number);
    for (uint32_t b = 0; b < f->count; b++)
        above[b] = NONE;
    above[f->count] = f->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < len; i++) {
            uint32_t b = order[i], best = NONE;
            if (f->succ_at[b] == f->succ_at[b + 1])
                best = f->count;
            for (uint32_t s = f->succ_at[b]; s < f->succ_at[b + 1]; s++)
                if (above[f->succ[s]] != NONE)
                    best = best == NONE ? f->succ[s] : meet(above, number, best, f->succ[s]);
            changed |= best != above[b];
            above[b] = best;
        }
    }
}

/* Calls for each (block, block that decides about it), once to count and once to fill. */
static void walk_control(struct flow *f, const uint32_t *above, bool fill)
{
    for (uint32_t b = 0; b < f->count; b++) {
        if (f->succ_at[b + 1] - f->succ_at[b] < 2 || above[b] == NONE)
            continue;
        for (uint32_t s = f->succ_at[b]; s < f->succ_at[b + 1]; s++) {
            uint32_t at = f->succ[s];
            while (at != NONE && at != above[b] && at != f->count) {
                if (fill)
                    f->control[f->control_at[at + 1]++] = b;
                else
                    f->control_at[at + 2]++;
                at = above[at];
            }
        }
    }
}

void flow_build(struct flow *f, struct arena *mem, LLVMValueRef fn)
{
    *f = (struct flow){0};
    number_blocks(f, mem, fn);
    find_edges(f, mem);
    uint32_t *above = ARENA_NEW(mem, uint32_t, f->count + 1);
    post_dominators(f, mem, above);
    f->control_at = ARENA_NEW(mem, uint32_t, f->count + 2);
    walk_control(f, above, false);
    for (uint32_t b = 2; b < f->count + 2; b++)
        f->control_at[b] += f->control_at[b - 1];
    f->control = ARENA_NEW(mem, uint32_t, f->control_at[f->count + 1] + 1);
    walk_control(f, above, true);
}

void flow_done(struct flow *f)
{
    map_done(&f->index);
}
