/* SPDX-License-Identifier: Apache-2.0
 *
 * stacks: see stacks.h. One walk over the trace: what is active in a thread is a node of a tree
 * of calls, so that a step remembers its stack by a number. */
#include "explain/stacks.h"

#include "base/map.h"
#include "explain/call-sites.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_TOLD = 24 };

static bool is_systems(const char *file)
{
    static const char *const places[] = {"/usr/", "/lib/", "/opt/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strncmp(file, places[i], strlen(places[i])) == 0)
            return true;
    return false;
}

/* A function that was called from that of another node. */
struct node {
    uint32_t parent; /* NONE: the thread began with it */
    uint32_t site;   /* of the function */
};

struct walk {
    struct trace *t;
    const struct call_sites *calls;
    struct arena *mem;
    struct finding *f;
    VEC(struct node) nodes;
    struct map children;     /* parent and site -> node */
    VEC(uint32_t) now;       /* by thread: node, or NONE */
    VEC(uint32_t) first;     /* by thread: the site of its first own function, or NONE */
    VEC(uint32_t) step_node; /* by step of the finding */
    bool is_other;           /* run */
};

static const struct def_site *site_of(const struct walk *w, uint32_t node)
{
    return &w->t->sites.at[w->nodes.at[node].site];
}

static bool is_function(const struct walk *w, uint32_t node, const char *name)
{
    const struct def_text *own = &site_of(w, node)->function;
    return own->len == strlen(name) && memcmp(own->at, name, own->len) == 0;
}

/* What starts a thread of C++ is no news. */
static bool is_library(const struct walk *w, uint32_t site)
{
    AUTO(str) struct str file = {0};
    const struct def_text *own = &w->t->sites.at[site].file;
    str_bytes(&file, own->at, own->len);
    return file.at && is_systems(file.at);
}

static void enter(struct walk *w, const struct ev *e)
{
    uint32_t *now = &w->now.at[e->thr];
    uint64_t key = hash_u64((uint64_t)*now << 32 | e->site);
    uint32_t *child = map_at(&w->children, key);
    if (*child == NONE) {
        *child = w->nodes.len;
        vec_push(&w->nodes, (struct node){*now, e->site});
    }
    if (w->first.at[e->thr] == NONE && !is_library(w, e->site))
        w->first.at[e->thr] = e->site;
    *now = *child;
}

/* Those that an exception or a jump has left tell nothing of it. */
static void leave(struct walk *w, const struct ev *e)
{
    uint32_t at = w->now.at[e->thr];
    while (at != NONE && w->nodes.at[at].site != e->site)
        at = w->nodes.at[at].parent;
    if (at != NONE)
        w->now.at[e->thr] = w->nodes.at[at].parent;
}

/* The finding's step with this number in its run: it must be what the step says. */
static void meet_event(struct walk *w, const struct ev *e, uint64_t number)
{
    for (uint32_t i = 0; i < w->f->steps.len; i++) {
        const struct finding_step *s = &w->f->steps.at[i];
        if (s->event != number)
            continue;
        w->is_other |= w->t->sites.at[e->site].line != s->place.line;
        w->step_node.at[i] = w->now.at[e->thr];
    }
}

static int walk_trace(struct walk *w, uint64_t events, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e = {0};
    uint64_t number = 0;
    int item;
    cursor_init(c, w->t);
    while ((item = trace_next(c, &e, err)) > ITEM_END) {
        if (item == ITEM_THREAD) {
            vec_push(&w->now, NONE);
            vec_push(&w->first, NONE);
        } else if (item == ITEM_EVENT && e.kind == EV_ENTER) {
            enter(w, &e);
        } else if (item == ITEM_EVENT && e.kind == EV_LEAVE) {
            leave(w, &e);
        } else if (item == ITEM_EVENT) {
            meet_event(w, &e, number++);
        }
    }
    free(c);
    w->is_other |= number != events;
    return item;
}

/* ---- telling ---------------------------------------------------------------------------- */

static const char *lines_of(struct walk *w, const struct call_places *p)
{
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; p->len > 1 && i < p->len; i++)
        str_add(&text, "%s%u",
                i == 0                      ? ""
                : i + 1 < p->len || p->more ? ", "
                                            : " or ",
                p->at[i].line);
    if (p->more)
        str_add(&text, " or more");
    return arena_text(w->mem, text.at ? text.at : "", text.len);
}

static const char *keep(struct walk *w, struct def_text text)
{
    return arena_text(w->mem, text.at, text.len);
}

static struct finding_frame frame_of(struct walk *w, uint32_t caller, uint32_t callee)
{
    const struct def_site *own = site_of(w, caller);
    struct finding_frame f = {.place = {.file = keep(w, own->file),
                                        .function = keep(w, own->function),
                                        .variable = keep(w, site_of(w, callee)->function)}};
    struct call_places places = call_sites_find(w->calls, f.place.function, f.place.variable);
    f.lines = lines_of(w, &places);
    if (places.len > 0)
        f.place.file = arena_text(w->mem, places.at[0].file, strlen(places.at[0].file));
    if (places.len == 1) {
        f.place.line = places.at[0].line;
        f.place.column = places.at[0].column;
    }
    return f;
}

/* What is put into its caller has no frame: then the innermost one is that caller. */
static struct finding_stack stack_of(struct walk *w, const struct finding_step *s,
                                     uint32_t node)
{
    struct finding_frame all[FRAMES_TOLD];
    uint32_t count = 0, top = node;
    while (top != NONE && !is_function(w, top, s->place.function))
        top = w->nodes.at[top].parent;
    for (; top != NONE && w->nodes.at[top].parent != NONE && count < FRAMES_TOLD;
         top = w->nodes.at[top].parent)
        all[count++] = frame_of(w, w->nodes.at[top].parent, top);
    struct finding_frame *kept = ARENA_NEW(w->mem, struct finding_frame, count + 1);
    memcpy(kept, all, count * sizeof *kept);
    return (struct finding_stack){kept, count};
}

/* "T1" becomes "T1 worker" where its first function is all that is known of it. */
static void name_thread(struct walk *w, struct finding_thread *t)
{
    AUTO(str) struct str name = {0};
    uint32_t site = t->number < w->first.len ? w->first.at[t->number] : NONE;
    if (site == NONE || *t->entry)
        return;
    t->entry = keep(w, w->t->sites.at[site].function);
    str_add(&name, "%s %s", t->name, t->entry);
    t->name = str_keep(w->mem, &name);
}

static void tell(struct walk *w)
{
    for (uint32_t i = 0; i < w->f->steps.len; i++) {
        struct finding_step *s = &w->f->steps.at[i];
        uint32_t thr = w->f->threads.at[s->thread].number, node = w->step_node.at[i];
        if (s->event == NO_EVENT && s->action != ACTION_ALLOCATE && thr < w->now.len)
            node = w->now.at[thr]; /* where it stood at the end */
        s->stack = stack_of(w, s, node);
    }
    for (uint32_t i = 0; i < w->f->threads.len; i++)
        name_thread(w, &w->f->threads.at[i]);
}

int explain_stacks(struct finding *f, struct arena *mem, const char *trace_path,
                   uint64_t events, const struct call_sites *calls, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    if (trace_open(&t, trace_path, err) < 0)
        return -1;
    struct walk w = {.t = &t, .calls = calls, .mem = mem, .f = f};
    for (uint32_t i = 0; i < f->steps.len; i++)
        vec_push(&w.step_node, NONE);
    int result = walk_trace(&w, events, err);
    if (result == 0 && w.is_other)
        result = 1;
    if (result == 0)
        tell(&w);
    vec_done(&w.nodes);
    vec_done(&w.now);
    vec_done(&w.first);
    vec_done(&w.step_node);
    map_done(&w.children);
    return result;
}

/* ---- whose it is ------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);
    return len >= tail && strcmp(text + len - tail, end) == 0;
}

static bool is_header(const char *file)
{
    static const char *const ends[] = {".h",   ".hh",  ".hpp", ".hxx",
                                       ".ipp", ".inl", ".tcc", ".inc"};
    const char *dot = strrchr(base_name(file), '.');
    bool is_one = !dot; /* the library of C++ has headers without */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        is_one |= ends_with(file, ends[i]);
    return is_one;
}

/* Is the file below the path, both as somebody wrote them? */
static bool is_below(const char *file, const char *path)
{
    AUTO(str) struct str inner = {0};
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (strncmp(path, "./", 2) == 0)
        return is_below(file, path + 2);
    if (strncmp(file, "./", 2) == 0)
        file += 2;
    if (strcmp(path, ".") == 0)
        return file[0] != '/';
    str_add(&inner, "/%.*s/", (int)len, path + (path[0] == '/'));
    bool is_first = strncmp(file, path, len) == 0 && (file[len] == '/' || !file[len]);
    return is_first || strstr(file, inner.at);
}

/* It does something to what it was given, and no more: a lock's method, an atomic operation. */
static bool is_wrapper(const struct finding_step *s)
{
    return is_header(s->place.file) &&
           (s->place.variable[0] == '*' || !s->place.variable[0] || s->action != ACTION_READ) &&
           (s->place.variable[0] == '*' ||
            (s->action != ACTION_READ && s->action != ACTION_WRITE &&
             s->action != ACTION_UPDATE));
}

static bool is_own(const struct finding_step *s, uint32_t frame, const struct own_paths *own)
{
    const struct place *p = frame == 0 ? &s->place : &s->stack.at[frame - 1].place;
    if (own->len > 0) {
        for (uint32_t i = 0; i < own->len; i++)
            if (is_below(p->file, own->at[i]))
                return true;
        return false;
    }
    if (is_systems(p->file))
        return false;
    return !is_wrapper(s) || (frame > 0 && strcmp(p->file, s->place.file) != 0);
}

static bool is_same_place(const struct place *a, const struct place *b)
{
    return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

/* The first one is where it is reported, and what its sentence begins with. */
static void move_sites(struct finding *f, struct arena *mem)
{
    AUTO(str) struct str text = {0};
    bool is_first = true;
    for (uint32_t k = 0; k < f->sites.len; k++)
        for (uint32_t i = 0; i < f->steps.len; i++) {
            const struct finding_step *s = &f->steps.at[i];
            const struct place *p = finding_own_place(s);
            if (!s->is_key || s->own == 0 || p->line == 0 ||
                !is_same_place(&f->sites.at[k], &s->place))
                continue;
            const char *variable = f->sites.at[k].variable;
            f->sites.at[k] = *p;
            f->sites.at[k].variable = variable;
            if (k == 0 && is_first && f->rest)
                str_add(&text, "%s%s%s:%u:%u: %s", f->only, *f->only ? ": " : "", p->file,
                        p->line, p->column, f->rest);
            is_first &= k != 0;
            break;
        }
    if (text.len > 0) {
        size_t head = text.len - strlen(f->rest);
        f->message = str_keep(mem, &text);
        f->rest = f->message + head;
    }
}

void explain_own(struct finding *f, struct arena *mem, const struct own_paths *own)
{
    for (uint32_t i = 0; i < f->steps.len; i++) {
        struct finding_step *s = &f->steps.at[i];
        s->own = 0;
        while (s->own < s->stack.len && !is_own(s, s->own, own))
            s->own++;
        if (!is_own(s, s->own, own) || finding_own_place(s)->line == 0)
            s->own = 0;
    }
    move_sites(f, mem);
}
