/* SPDX-License-Identifier: Apache-2.0
 *
 * made-up: the memory of one thread as far as it is its own, byte by byte, and objects whose
 * place in the run is learnt from the first event that touches them. A byte that was never
 * written here is unknown, unless the program's file says what it held at the start. */
#include "ir/exec.h"

#include "base/search.h"

uint64_t object_make(struct exec *x, uint64_t size, LLVMValueRef global)
{
    enum { GAP_BYTES = 4096 };
    uint64_t base = MADE_UP + GAP_BYTES;
    if (x->objects.len) {
        const struct made_up *last = &x->objects.at[x->objects.len - 1];
        base = (last->base + last->size + GAP_BYTES + 63) & ~63ULL;
    }
    vec_push(&x->objects, (struct made_up){.base = base, .size = size, .global = global});
    return base;
}

struct made_up *object_at(struct exec *x, uint64_t addr)
{
    if (addr < MADE_UP || !x->objects.len || addr >> 63)
        return NULL;
    uint32_t behind = SEARCH(i, 0, x->objects.len, x->objects.at[i].base <= addr + 64);
    struct made_up *o = behind ? &x->objects.at[behind - 1] : NULL;
    return o && addr <= o->base + o->size + 64 ? o : NULL;
}

uint64_t object_real(struct exec *x, uint64_t addr)
{
    const struct made_up *o = object_at(x, addr);
    return o && o->real ? o->real + (addr - o->base) : addr;
}

bool object_agrees(struct exec *x, uint64_t mine, uint64_t recorded)
{
    if (object_real(x, mine) == recorded)
        return true;
    struct made_up *o = object_at(x, mine);
    if (!o || o->real || recorded < 4096 || o->in_term) /* terms cannot be told any more */
        return false;
    o->real = recorded - (mine - o->base);
    return true;
}

/* ---- bytes ------------------------------------------------------------------------------- */

/* Made-up addresses stay the keys of what they name, also once the real one is known. */
static uint64_t key_at(struct exec *x, uint64_t addr)
{
    return object_real(x, addr);
}

static struct byte initial_byte(struct exec *x, uint64_t addr)
{
    const struct made_up *o = object_at(x, addr);
    if (o && o->global)
        return constant_byte(x, o->global, addr - o->base);
    uint64_t value;
    if (ir_initial(x->ir, addr, 1, &value))
        return (struct byte){.term = NONE, .value = (uint8_t)value, .is_known = true};
    return (struct byte){.term = NONE};
}

static uint32_t find_cell(struct exec *x, uint64_t addr)
{
    uint32_t at = map_find(&x->cell_of, key_at(x, addr));
    return at == NONE ? map_find(&x->cell_of, addr) : at;
}

struct byte memory_get(struct exec *x, uint64_t addr)
{
    uint32_t at = find_cell(x, addr);
    return at == NONE ? initial_byte(x, addr) : x->cells.at[at];
}

struct byte memory_own(struct exec *x, uint64_t addr)
{
    uint32_t at = find_cell(x, addr);
    return at == NONE ? (struct byte){.term = NONE} : x->cells.at[at];
}

void memory_put(struct exec *x, uint64_t addr, struct byte b)
{
    uint32_t *slot = map_at(&x->cell_of, key_at(x, addr));
    if (*slot == NONE) {
        *slot = x->cells.len;
        vec_push(&x->cells, b);
        return;
    }
    x->cells.at[*slot] = b;
}

void memory_forget(struct exec *x, uint64_t addr, uint64_t len)
{
    if (len > x->cells.len) {
        for (uint32_t i = 0; i < x->cell_of.cap; i++) {
            const struct map_slot *s = &x->cell_of.at[i];
            if (s->value != NONE && s->key - addr < len)
                x->cells.at[s->value] = (struct byte){.term = NONE};
        }
        return;
    }
    for (uint64_t i = 0; i < len; i++)
        memory_put(x, addr + i, (struct byte){.term = NONE});
}
