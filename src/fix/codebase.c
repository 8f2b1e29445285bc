/* SPDX-License-Identifier: Apache-2.0
 *
 * codebase: the sources of a program, parsed when they are first asked for, and the way from a
 * site of a trace to its place in them. */
#include "fix/recipe.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *keep_text(struct codebase *code, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return arena_text(&code->mem, text, strlen(text));
}

static void add_unit(struct codebase *code, const struct build_unit *kept,
                     const fix_texts *texts)
{
    struct codebase_unit one = {.opts = {.source = kept->source, .directory = kept->directory}};
    AUTO(str) struct str path = {0};
    build_unit_path(&path, kept);
    one.path = arena_text(&code->mem, path.at, path.len);
    one.opts.args = build_unit_words(kept, &code->mem);
    one.opts.changes = texts ? texts->at : NULL;
    one.opts.change_count = texts ? texts->len : 0;
    vec_push(&code->units, one);
}

int codebase_open(struct codebase *out, const char *program, const fix_texts *texts,
                  struct err *err)
{
    struct codebase code = {0};
    if (build_units_read(&code.kept, program, err) < 0)
        return -1;
    for (uint32_t i = 0; i < code.kept.units.len; i++)
        add_unit(&code, &code.kept.units.at[i], texts);
    *out = code;
    return 0;
}

void codebase_close(struct codebase *code)
{
    for (uint32_t i = 0; i < code->units.len; i++)
        if (code->units.at[i].is_open)
            unit_close(&code->units.at[i].u);
    vec_done(&code->units);
    vec_done(&code->seen);
    vec_done(&code->met);
    vec_done(&code->touched);
    vec_done(&code->made);
    build_units_done(&code->kept);
    arena_done(&code->mem);
}

/* What one unit defines is known in all. */
static void share_wrappers(struct codebase *code, uint32_t unit)
{
    struct unit *own = &code->units.at[unit].u;
    for (uint32_t i = 0; i < code->units.len; i++)
        if (i != unit && code->units.at[i].is_open) {
            wrappers_share(own, &code->units.at[i].u);
            wrappers_share(&code->units.at[i].u, own);
        }
}

struct unit *codebase_unit(struct codebase *code, uint32_t unit)
{
    CHECK(unit < code->units.len);
    struct codebase_unit *one = &code->units.at[unit];
    struct err ignored;
    if (!one->is_open && !one->is_bad) {
        one->is_open = unit_open(&one->u, &one->opts, &ignored) == 0;
        one->is_bad = !one->is_open;
        if (one->is_open)
            share_wrappers(code, unit);
    }
    return one->is_open ? &one->u : NULL;
}

static struct node_ref find_in(struct codebase *code, uint32_t unit,
                               const struct code_site *site)
{
    struct unit *u = codebase_unit(code, unit);
    return (struct node_ref){unit, u ? node_at_line(u, code->units.at[unit].opts.directory,
                                                    site->file, site->line, site->column)
                                     : NONE};
}

struct node_ref codebase_find(struct codebase *code, const struct code_site *site)
{
    const char *name = strrchr(site->file, '/') ? strrchr(site->file, '/') + 1 : site->file;
    for (int is_header = 0; is_header < 2; is_header++)
        for (uint32_t i = 0; i < code->units.len; i++) {
            const char *slash = strrchr(code->units.at[i].path, '/');
            bool is_named = strcmp(slash ? slash + 1 : code->units.at[i].path, name) == 0;
            if (is_named == is_header)
                continue; /* units of that name first: most need not be parsed */
            struct node_ref s = find_in(code, i, site);
            if (s.node != NONE)
                return s;
        }
    return (struct node_ref){0, NONE};
}

static uint32_t distance(const struct node *n, uint32_t offset)
{
    return n->start > offset ? n->start - offset : offset - n->start;
}

/* What the spot itself accesses: "*this" is no name, but in `high_ = value` one is there. */
static node_id access_at(const struct unit *u, node_id n)
{
    while (n != NONE && node_of(u, n)->kind != NODE_NAME && node_of(u, n)->kind != NODE_MEMBER)
        n = node_of(u, n)->first;
    return n;
}

static node_id declared_by(const struct unit *u, node_id n)
{
    const struct node *node = node_of(u, n);
    return node->kind == NODE_NAME || node->kind == NODE_MEMBER ? node->declared : NONE;
}

/* What a library's code does, to `_M_parent` or by memcpy, it does to the object that it was
 * called with: the nearest member or variable of the statement; of a library's type, if asked
 * for. */
static node_id object_in(const struct unit *u, node_id root, uint32_t offset, bool is_typed)
{
    node_id best = NONE;
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        node_id declared = declared_by(u, n);
        enum node_kind kind = declared == NONE ? NODE_OTHER : node_of(u, declared)->kind;
        bool is_shared =
            kind == NODE_FIELD || (kind == NODE_VARIABLE && node_of(u, declared)->is_global);
        if (is_shared && (!is_typed || strstr(node_of(u, declared)->type, "::")) &&
            (best == NONE ||
             distance(node_of(u, n), offset) < distance(node_of(u, best), offset)))
            best = n;
    }
    return best;
}

/* Or what a local variable of the statement was made from: `for (auto &e : entries) use(e);` */
static node_id library_access(const struct unit *u, node_id statement, uint32_t offset,
                              bool is_typed)
{
    node_id best = object_in(u, statement, offset, is_typed);
    for (node_id n = statement; n != NONE && best == NONE; n = node_walk(u, statement, n)) {
        node_id declared = declared_by(u, n);
        if (declared == NONE || node_of(u, declared)->kind != NODE_VARIABLE ||
            node_of(u, declared)->is_global)
            continue;
        best = object_in(u, declared, offset, is_typed);
        node_id loop = node_of(u, declared)->parent;
        if (node_of(u, loop)->kind != NODE_FOR)
            continue;
        for (node_id c = node_of(u, loop)->first;
             c != NONE && c != node_of(u, loop)->last && best == NONE; c = node_of(u, c)->next)
            best = object_in(u, c, offset, is_typed);
    }
    return best;
}

node_id codebase_access(struct codebase *code, struct node_ref s, const char *name)
{
    CHECK(s.unit < code->units.len);
    const struct unit *u = codebase_unit(code, s.unit);
    node_id statement = node_statement(u, s.node), best = NONE;
    if (statement == NONE)
        return NONE;
    uint32_t offset = node_of(u, s.node)->start;
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n)) {
        const struct node *node = node_of(u, n);
        if ((node->kind == NODE_NAME || node->kind == NODE_MEMBER) &&
            strcmp(node->name, name) == 0 &&
            (best == NONE || distance(node, offset) < distance(node_of(u, best), offset)))
            best = n;
    }
    if (best == NONE && strcmp(name, "*this") == 0)
        return access_at(u, s.node);
    if (best == NONE)
        return library_access(u, statement, offset, name[0] == '_');
    /* a reference is not accessed itself: to.amount is */
    node_id declared = node_of(u, best)->declared, above = node_of(u, best)->parent;
    bool is_reference = declared != NONE && node_of(u, declared)->shape == SHAPE_REFERENCE;
    return is_reference && node_of(u, above)->kind == NODE_MEMBER ? above : best;
}

static node_id function_in(const struct unit *u, const char *name)
{
    for (node_id n = 1; u && n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_FUNCTION && strcmp(node_of(u, n)->name, name) == 0)
            return n;
    return NONE;
}

struct node_ref codebase_function(struct codebase *code, uint32_t unit, const char *name)
{
    CHECK(unit < code->units.len);
    node_id n = function_in(codebase_unit(code, unit), name);
    for (uint32_t i = 0; n == NONE && i < code->units.len; i++) {
        unit = i;
        n = function_in(codebase_unit(code, i), name);
        if (n != NONE && node_of(codebase_unit(code, i), n)->is_static)
            n = NONE;
    }
    CHECK(n == NONE || node_of(codebase_unit(code, unit), n)->kind == NODE_FUNCTION);
    return (struct node_ref){unit, n};
}

const struct guard *codebase_guard(const struct codebase *code, const char *variable)
{
    for (uint32_t i = 0; i < code->guards->guards.len; i++)
        if (strcmp(code->guards->guards.at[i].variable, variable) == 0)
            return &code->guards->guards.at[i];
    return NULL;
}

/* ---- who is alone ----------------------------------------------------------------------- *
 * An access needs no lock if no other thread that uses the variable lives meanwhile: it has
 * not been created yet, or has been joined. */

static bool is_same_site(const struct code_site *a, const struct code_site *b)
{
    return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

enum { MEETING_THREADS = 1024 }; /* what others do counts as company */

enum { PASS_USES, PASS_MAIN, PASS_ALL, PASS_COUNT };

struct meeting {
    struct codebase *code;
    struct map at_site;   /* site of the trace -> where its guards begin in the list */
    VEC(uint32_t) guards; /* NONE ends those of a site: one statement may be about several */
    struct map touched;   /* site of the trace -> it is in the list */
    uint8_t *uses;        /* guard * threads + thread: it does */
    uint8_t *main_meets;  /* by guard: T0 uses it when it is not alone */
    uint8_t is_live[MEETING_THREADS];
    int pass;
};

static bool has_use_at(const struct guard *g, const struct def_site *s)
{
    for (uint32_t i = 0; i < g->uses.len; i++) {
        const struct code_site *use = &g->uses.at[i].site;
        if (use->line == s->line && use->column == s->column &&
            text_is(text_of(use->file), text_from(s->file)))
            return true;
    }
    return false;
}

/* Where the site's guards begin in the list. */
static uint32_t guards_of_site(struct meeting *m, const struct trace *t, uint32_t site)
{
    uint32_t *slot = map_at(&m->at_site, site);
    if (*slot != NONE)
        return *slot;
    uint32_t first = *slot = m->guards.len;
    for (uint32_t g = 0; g < m->code->guards->guards.len; g++)
        if (has_use_at(&m->code->guards->guards.at[g], &t->sites.at[site]))
            vec_push(&m->guards, g);
    vec_push(&m->guards, NONE);
    return first;
}

static void add_site(struct codebase *code, site_list *out, const struct def_site *s)
{
    struct text file = text_from(s->file);
    struct code_site one = {.file = arena_text(&code->mem, file.at, file.len),
                            .line = s->line,
                            .column = s->column};
    for (uint32_t i = 0; i < out->len; i++)
        if (is_same_site(&out->at[i], &one))
            return;
    vec_push(out, one);
}

static bool has_company(const struct meeting *m, uint32_t g, uint32_t thr)
{
    const uint8_t *uses = &m->uses[g * MEETING_THREADS];
    for (uint32_t other = 0; other < MEETING_THREADS; other++)
        if (other != thr && uses[other] &&
            (other == 0 ? m->main_meets[g] || m->pass == PASS_MAIN : m->is_live[other]))
            return true;
    return thr >= MEETING_THREADS;
}

static void meet_guard(struct meeting *m, const struct trace *t, const struct ev *e, uint32_t g)
{
    if (m->pass == PASS_USES && e->thr < MEETING_THREADS)
        m->uses[g * MEETING_THREADS + e->thr] = 1;
    if (m->pass == PASS_MAIN && e->thr == 0)
        m->main_meets[g] |= has_company(m, g, 0);
    if (m->pass != PASS_ALL)
        return;
    add_site(m->code, &m->code->seen, &t->sites.at[e->site]);
    if (has_company(m, g, e->thr))
        add_site(m->code, &m->code->met, &t->sites.at[e->site]);
}

static void meet(struct meeting *m, const struct trace *t, const struct ev *e)
{
    if ((e->kind == EV_CREATE || e->kind == EV_JOIN) && e->peer < MEETING_THREADS)
        m->is_live[e->peer] = e->kind == EV_CREATE;
    if (ev_acts_on(e->kind) != ON_MEMORY)
        return;
    uint32_t *touched = map_at(&m->touched, e->site);
    if (*touched == NONE)
        add_site(m->code, &m->code->touched, &t->sites.at[e->site]);
    *touched = 1;
    for (uint32_t i = guards_of_site(m, t, e->site); m->guards.at[i] != NONE; i++)
        meet_guard(m, t, e, m->guards.at[i]);
}

static int walk(struct meeting *m, struct trace *t, struct err *err)
{
    struct trace_cursor *c = mem_zeroed(1, sizeof *c);
    struct ev e;
    int item;
    memset(m->is_live, 0, sizeof m->is_live);
    cursor_init(c, t);
    while ((item = trace_next(c, &e, err)) > ITEM_END)
        if (item == ITEM_EVENT)
            meet(m, t, &e);
    free(c);
    return item;
}

int codebase_mark_alone(struct codebase *code, const char *run, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    struct meeting m = {.code = code};
    if (trace_open_in(&t, run, err) < 0)
        return -1;
    m.uses = mem_zeroed(code->guards->guards.len + 1, MEETING_THREADS);
    m.main_meets = mem_zeroed(code->guards->guards.len + 1, 1);
    int failed = 0;
    for (m.pass = PASS_USES; m.pass < PASS_COUNT && !failed; m.pass++)
        failed = walk(&m, &t, err);
    map_done(&m.at_site);
    vec_done(&m.guards);
    map_done(&m.touched);
    free(m.uses);
    free(m.main_meets);
    return failed;
}

static bool is_in(const site_list *list, const struct code_site *site)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (is_same_site(&list->at[i], site))
            return true;
    return false;
}

bool codebase_is_alone(const struct codebase *code, const struct code_site *site)
{
    return is_in(&code->seen, site) && !is_in(&code->met, site);
}

/* Was it run, and is nothing that it accesses known to be shared by then? */
static bool is_unshared(struct codebase *code, uint32_t unit, node_id statement)
{
    for (uint32_t i = 0; statement != NONE && i < code->touched.len; i++) {
        struct node_ref at = codebase_find(code, &code->touched.at[i]);
        if (at.unit == unit && at.node != NONE &&
            node_is_in(codebase_unit(code, unit), at.node, statement))
            return true;
    }
    return false;
}

bool statement_is_alone(struct codebase *code, struct node_ref s)
{
    CHECK(s.unit < code->units.len && s.node != NONE);
    node_id statement = node_statement(codebase_unit(code, s.unit), s.node);
    bool is_seen = false;
    for (uint32_t i = 0; statement != NONE && i < code->seen.len; i++) {
        struct node_ref at = codebase_find(code, &code->seen.at[i]);
        if (at.unit != s.unit || at.node == NONE ||
            !node_is_in(codebase_unit(code, s.unit), at.node, statement))
            continue;
        if (is_in(&code->met, &code->seen.at[i]))
            return false;
        is_seen = true;
    }
    return is_seen || is_unshared(code, s.unit, statement);
}

static void add_made(struct codebase *code, const struct code_site *site)
{
    struct node_ref s = codebase_find(code, site);
    s.node = s.node == NONE ? NONE : node_statement(codebase_unit(code, s.unit), s.node);
    if (s.node != NONE)
        vec_push(&code->made, s);
}

const node_refs *codebase_made(struct codebase *code)
{
    if (code->made.len)
        return &code->made;
    for (uint32_t i = 0; i < code->touched.len; i++)
        add_made(code, &code->touched.at[i]);
    for (uint32_t g = 0; g < code->guards->guards.len; g++)
        for (uint32_t i = 0; i < code->guards->guards.at[g].uses.len; i++)
            add_made(code, &code->guards->guards.at[g].uses.at[i].site);
    return &code->made;
}
