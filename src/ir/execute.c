/* SPDX-License-Identifier: Apache-2.0
 *
 * execute: see ir.h. One thread after the other, in the order of their creation: what a
 * thread is started with is known when its turn comes. */
#include "ir/exec.h"

#include "base/stop.h"

/* ---- sites of the trace ------------------------------------------------------------------ */

/* There is one for what happens in no code at all. */
static bool is_real(const struct def_site *s)
{
    return s->file.len || s->function.len;
}

/* Units of a trace are numbered as they are met: the one whose places fit all sites is it. */
static bool unit_fits(struct ir *ir, const struct unit *u, const struct trace *t,
                      uint32_t number)
{
    for (uint32_t i = 0; i < t->sites.len; i++) {
        const struct def_site *s = &t->sites.at[i];
        if (s->unit == number && is_real(s) &&
            (s->ordinal >= u->count ||
             !place_fits(ir, &ir->places.at[u->first + s->ordinal], s)))
            return false;
    }
    return true;
}

static ir_place *bind_sites(struct arena *mem, struct ir *ir, const struct trace *t)
{
    ir_place *place = ARENA_NEW(mem, ir_place, t->sites.len + 1);
    uint32_t units = 0;
    for (uint32_t i = 0; i < t->sites.len; i++) {
        place[i] = NONE;
        if (is_real(&t->sites.at[i]) && t->sites.at[i].unit >= units)
            units = t->sites.at[i].unit + 1;
    }
    for (uint32_t n = 0; n < units; n++) {
        uint32_t k = 0;
        while (k < ir->units.len && !unit_fits(ir, &ir->units.at[k], t, n))
            k++;
        for (uint32_t i = 0; k < ir->units.len && i < t->sites.len; i++)
            if (t->sites.at[i].unit == n && is_real(&t->sites.at[i]))
                place[i] = ir->units.at[k].first + t->sites.at[i].ordinal;
    }
    return place;
}

static uint32_t *sites_of_places(struct arena *mem, const struct ir *ir, const struct trace *t,
                                 const ir_place *place)
{
    uint32_t *site = ARENA_NEW(mem, uint32_t, ir->places.len + 1);
    for (uint32_t i = 0; i < ir->places.len; i++)
        site[i] = NONE;
    for (uint32_t i = t->sites.len; i > 0; i--)
        if (place[i - 1] != NONE)
            site[place[i - 1]] = i - 1;
    return site;
}

/* ---- where the program lies -------------------------------------------------------------- */

/* An access to a variable by its name says where its file was put. */
static void place_image(struct ir *ir, ir_place place, const struct seen *it)
{
    size_t len;
    LLVMValueRef inst = place == NONE ? NULL : ir->places.at[place].at;
    bool is_read = inst && LLVMIsALoadInst(inst) && it->kind == EV_READ;
    bool is_write = inst && LLVMIsAStoreInst(inst) && it->kind == EV_WRITE;
    if (!is_read && !is_write)
        return;
    LLVMValueRef g = LLVMIsAGlobalVariable(LLVMGetOperand(inst, is_write));
    if (!g || LLVMIsThreadLocal(g) || LLVMIsDeclaration(g))
        return;
    uint32_t unit = map_find(&ir->unit_of, key_of(LLVMGetGlobalParent(g)));
    image_place(&ir->images.at[ir->units.at[unit].image], LLVMGetValueName2(g, &len),
                ir->units.at[unit].source, it->addr);
}

static void place_images(struct ir *ir, const struct streams *s, const ir_place *place)
{
    for (uint32_t t = 0; t < s->at.len; t++)
        for (uint32_t i = 0; i < s->at.at[t].items.len; i++)
            place_image(ir, place[s->at.at[t].items.at[i].site], &s->at.at[t].items.at[i]);
}

/* ---- functions --------------------------------------------------------------------------- */

typedef VEC(LLVMValueRef) functions;

static void find_functions(const struct ir *ir, struct map *at, functions *all)
{
    size_t len;
    for (uint32_t i = 0; i < ir->units.len; i++) {
        const struct unit *u = &ir->units.at[i];
        for (LLVMValueRef f = LLVMGetFirstFunction(u->mod); f; f = LLVMGetNextFunction(f)) {
            if (LLVMIsDeclaration(f))
                continue;
            uint64_t addr =
                image_address(&ir->images.at[u->image], LLVMGetValueName2(f, &len), u->source);
            uint32_t *slot = addr ? map_at(at, addr) : NULL;
            if (slot && *slot == NONE) {
                *slot = all->len;
                vec_push(all, f);
            }
        }
    }
}

/* ---- threads ----------------------------------------------------------------------------- */

static void exec_done(struct exec *x)
{
    for (uint32_t i = 0; i < x->frames.len; i++)
        map_done(&x->frames.at[i].locals);
    vec_done(&x->frames);
    vec_done(&x->vals);
    vec_done(&x->objects);
    vec_done(&x->cells);
    vec_done(&x->global_addr);
    map_done(&x->cell_of);
    vec_done(&x->early_addr);
    map_done(&x->early);
    map_done(&x->globals);
    map_done(&x->failing);
}

/* Is there nothing left but what ended the program? */
static bool is_over(const struct exec *x)
{
    for (uint32_t i = x->at; i < x->stream->items.len; i++) {
        unsigned kind = x->stream->items.at[i].kind;
        if (kind != EV_END_SIGNAL && kind != EV_END_ASSERT && kind != EV_END_EXIT)
            return false;
    }
    return true;
}

static void run_thread(struct exec *x)
{
    enum { INSTRUCTIONS_MAX = 100000000 };
    x->last_event = NO_EVENT;
    x->path->events_all = x->stream->items.len;
    while (!x->stopped && !x->ended) {
        if (x->frames.len == 0)
            exec_outside(x);
        else
            exec_step(x);
        if (x->path->instructions > INSTRUCTIONS_MAX)
            exec_stop(x, "more than %d instructions", INSTRUCTIONS_MAX);
        else if (stop_signal())
            exec_stop(x, "stopped early");
    }
    /* the program ended, or died, while the thread was in the middle of something */
    if (x->stopped && is_over(x)) {
        x->stopped = false;
        str_done(&x->path->reason);
        x->path->events = x->path->events_all;
        x->path->stop = NO_EVENT;
        x->at = x->stream->items.len;
    }
    x->path->is_whole = !x->stopped && !next_item(x);
    if (!x->stopped && !x->path->is_whole)
        exec_stop(x, "there are events behind its end");
}

int ir_paths(struct ir_paths *out, struct ir *ir, struct trace *window, struct term_pool *pool,
             struct err *err)
{
    struct streams streams = {0};
    AUTO(arena) struct arena mem = {0};
    struct map function_at = {0};
    functions all = {0};
    if (streams_read(&streams, window, err) < 0) {
        streams_done(&streams);
        return -1;
    }
    ir_place *place = bind_sites(&mem, ir, window);
    for (uint32_t i = 0; i < ir->images.len; i++)
        image_place_by_names(&ir->images.at[i], window);
    place_images(ir, &streams, place);
    uint32_t *site = sites_of_places(&mem, ir, window, place);
    find_functions(ir, &function_at, &all);
    uint32_t threads =
        window->threads.len > streams.at.len ? window->threads.len : streams.at.len;
    struct start_arg *starts = ARENA_NEW(&mem, struct start_arg, threads + 1);
    *out = (struct ir_paths){0};
    for (uint32_t t = 0; t < streams.at.len; t++)
        vec_push(&out->at, (struct ir_path){.thr = t, .stop = NO_EVENT});
    for (uint32_t t = 0; t < streams.at.len; t++) {
        struct exec x = {.ir = ir,
                         .pool = pool,
                         .path = &out->at.at[t],
                         .place_of_site = place,
                         .site_of_place = site,
                         .streams = &streams,
                         .stream = &streams.at.at[t],
                         .function_at = &function_at,
                         .functions = all.at,
                         .starts = starts};
        run_thread(&x);
        exec_done(&x);
        arena_done(&x.mem);
    }
    map_done(&function_at);
    vec_done(&all);
    streams_done(&streams);
    return 0;
}

void ir_paths_done(struct ir_paths *p)
{
    for (uint32_t i = 0; i < p->at.len; i++) {
        vec_done(&p->at.at[i].steps);
        str_done(&p->at.at[i].reason);
    }
    vec_done(&p->at);
}

/* ---- check ------------------------------------------------------------------------------- */

static term_bits expected(const struct ir_step *s)
{
    return s->kind == IR_GUARD ? 1 : s->kind == IR_CHECK ? 0 : s->value;
}

int ir_check(const struct ir_paths *p, const struct term_pool *pool, struct str *where)
{
    AUTO(term_env) struct term_env *env = term_env_new(pool);
    for (uint32_t i = 0; i < p->at.len; i++)
        for (uint32_t k = 0; k < p->at.at[i].steps.len; k++) {
            const struct ir_step *s = &p->at.at[i].steps.at[k];
            if (s->kind == IR_READ)
                term_env_set(env, s->term, s->value);
        }
    for (uint32_t i = 0; i < p->at.len; i++)
        for (uint32_t k = 0; k < p->at.at[i].steps.len; k++) {
            const struct ir_step *s = &p->at.at[i].steps.at[k];
            term_bits got;
            if (s->term != NONE && (!term_eval(env, s->term, &got) || got != expected(s))) {
                str_add(where, "T%u step %u", p->at.at[i].thr, k);
                return 1;
            }
        }
    return 0;
}
