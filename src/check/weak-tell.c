/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-tell: see weak-tell.h. The run is judged again here, by the rules alone (relaxed/): what
 * they do not allow is not told as confirmed. */
#include "check/weak-tell.h"

#include "check/gaps.h"
#include "explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_TOLD = 8, RACES_TOLD = 16 };

static const char *keep(struct finding_list *l, const struct str *text)
{
    return arena_text(&l->mem, text->at ? text->at : "", text->len);
}

static struct place place_at(struct finding_list *l, const struct relaxed_graph *g,
                             uint32_t step)
{
    const struct def_site *s = step == NONE ? NULL : relaxed_site(g, step);
    return s ? place_of_site(&l->mem, s)
             : (struct place){.file = "", .function = "", .variable = ""};
}

/* As a person writes it: small numbers with their sign. */
static void say_value(struct str *out, uint64_t value, uint64_t bytes)
{
    unsigned unused = bytes > 0 && bytes < 8 ? (unsigned)(64 - 8 * bytes) : 0;
    int64_t number = (int64_t)(value << unused) >> unused;
    if (number > -1000000 && number < 1000000)
        str_add(out, "%" PRId64, number);
    else
        str_add(out, "0x%" PRIx64, value << unused >> unused);
}

static void say_place(struct str *out, const struct place *p)
{
    str_add(out, "%s:%u", *p->file ? base_name(p->file) : "?", p->line);
}

static const char *variable_of(const struct place *p)
{
    return *p->variable ? p->variable : "it";
}

/* "written by T0 at queue.c:12", "there from the start" */
static void say_writer(struct str *out, const struct relaxed_graph *g, struct finding_list *l,
                       uint32_t store)
{
    uint32_t step = g->stores.at[store].step;
    struct place p = place_at(l, g, step);
    if (step == NONE) {
        str_add(out, "there from the start");
        return;
    }
    str_add(out, "written by T%u at ", g->steps.at[step].thr);
    say_place(out, &p);
}

static void say_read(struct str *out, const struct relaxed_graph *g, struct finding_list *l,
                     const struct finding_weak *w, uint32_t step)
{
    const struct relaxed_step *s = &g->steps.at[step];
    const struct relaxed_store *newest = &g->stores.at[s->newest];
    str_add(out, "reads %s = ", variable_of(&w->place));
    say_value(out, g->stores.at[s->from].value, s->len);
    str_add(out, ", ");
    say_writer(out, g, l, s->from);
    if (newest->step == NONE)
        return;
    str_add(out, ", although T%u stored ", g->steps.at[newest->step].thr);
    say_value(out, newest->value, s->len);
    str_add(out, " at ");
    say_place(out, &w->instead);
    uint32_t before = step - newest->step;
    str_add(out, " (%u step%s before)", before, before == 1 ? "" : "s");
}

static void say_stored(struct str *out, const struct relaxed_graph *g,
                       const struct finding_weak *w, uint32_t step)
{
    const struct relaxed_step *s = &g->steps.at[step];
    uint32_t other = g->stores.at[s->newest].step;
    str_add(out, "stores %s = ", variable_of(&w->place));
    say_value(out, g->stores.at[s->store].value, s->len);
    if (other == NONE)
        return;
    str_add(out, ", which takes effect before T%u's store at ", g->steps.at[other].thr);
    say_place(out, &w->instead);
}

static const char *say_allowed(struct finding_list *l, const struct relaxed_graph *g,
                               uint32_t step)
{
    AUTO(str) struct str text = {0};
    const struct relaxed_step *s = &g->steps.at[step];
    uint32_t other = s->newest == NONE ? NONE : g->stores.at[s->newest].step;
    const char *what = s->from == NONE ? "store" : s->store == NONE ? "load" : "update";
    str_add(&text, "the %s is %s, ", what, word_text(ORDER_FIRST, s->order));
    if (other == NONE)
        str_add(&text, "nothing orders what came later before it");
    else
        str_add(&text, "nothing orders T%u's store before it", g->steps.at[other].thr);
    return keep(l, &text);
}

/* A site that the change is about. */
static struct place place_of_key(struct finding_list *l, const struct relaxed_graph *g,
                                 uint64_t key)
{
    for (uint32_t i = 0; i < g->steps.len; i++)
        if (g->steps.at[i].key == key && g->steps.at[i].op <= RELAXED_UPDATE)
            return place_at(l, g, i);
    return place_at(l, g, NONE);
}

/* "acquire here and release at queue.c:30" */
static const char *say_remedy(struct finding_list *l, const struct relaxed_graph *g,
                              const struct relaxed_remedy *r, uint32_t step)
{
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; i < r->len; i++) {
        const struct relaxed_change *c = &r->at[i];
        struct place p = place_of_key(l, g, c->key);
        bool here = step != NONE && c->key == g->steps.at[step].key;
        const char *order = word_text(ORDER_FIRST, c->order);
        str_add(&text, "%s", i == 0 ? "" : i + 1 == r->len ? " and " : ", ");
        if (c->move == RELAXED_RAISE)
            str_add(&text, "%s %s", order, here ? "here" : "at ");
        else
            str_add(&text, "a %s fence %s %s", order,
                    c->move == RELAXED_FENCE_BEFORE ? "before" : "behind", here ? "this" : "");
        if (!here)
            say_place(&text, &p);
    }
    return keep(l, &text);
}

static void add_row(struct finding_list *l, struct finding *f, const struct relaxed_graph *g,
                    uint32_t step, const struct relaxed_remedy *remedy)
{
    AUTO(str) struct str text = {0};
    const struct relaxed_step *s = &g->steps.at[step];
    bool early = s->from == NONE || (s->store != NONE && s->from == s->newest);
    uint32_t source = s->from == NONE ? NONE : g->stores.at[s->from].step;
    uint32_t other = s->newest == NONE ? NONE : g->stores.at[s->newest].step;
    struct finding_weak w = {.thread = s->thr,
                             .place = place_at(l, g, step),
                             .from = place_at(l, g, source),
                             .instead = place_at(l, g, other),
                             .order = word_text(ORDER_FIRST, s->order),
                             .is_early = early,
                             .event = s->event};
    if (early)
        say_stored(&text, g, &w, step);
    else
        say_read(&text, g, l, &w, step);
    w.text = keep(l, &text);
    w.allowed = say_allowed(l, g, step);
    w.forbid = remedy ? say_remedy(l, g, remedy, step) : "";
    vec_push(&f->weak, w);
}

static enum weak_label label_of(enum relaxed_where where)
{
    return where == RELAXED_ANYWHERE ? WEAK_LABEL_NONE
           : where == RELAXED_ON_X86 ? WEAK_LABEL_X86
                                     : WEAK_LABEL_ELSEWHERE;
}

static void find_remedy(const struct relaxed_goal *goal, struct relaxed_remedy *out,
                        bool *found)
{
    relaxed_remedies all = {0};
    relaxed_find_remedies(goal, 1, 1, &all);
    *found = all.len > 0;
    if (*found)
        *out = all.at[0];
    vec_done(&all);
}

static void tell_graph(struct finding_list *l, struct finding *f, const struct relaxed_graph *g,
                       enum relaxed_where where)
{
    AUTO(str) struct str message = {0};
    struct relaxed_goal goal = {.graph = g, .race = {NONE, NONE}};
    struct relaxed_remedy remedy;
    bool found = false;
    f->label = label_of(where);
    find_remedy(&goal, &remedy, &found);
    for (uint32_t i = 0; i < g->steps.len && f->weak.len < ROWS_TOLD; i++)
        if (g->steps.at[i].is_weak)
            add_row(l, f, g, i, found ? &remedy : NULL);
    if (relaxed_first_forbidden(g, (struct relaxed_changes){0}) != NONE) {
        f->is_confirmed = false;
        f->doubt = "by the rules of C11 as Heddle checks them, this run cannot be";
    }
    if (f->weak.len == 0)
        return;
    str_add(&message, "%s: T%u %s: %s", f->message, f->weak.at[0].thread, f->weak.at[0].text,
            weak_label_text(label_of(where)));
    f->message = keep(l, &message);
}

static bool has_weak_step(const struct relaxed_graph *g)
{
    for (uint32_t i = 0; i < g->steps.len; i++)
        if (g->steps.at[i].is_weak)
            return true;
    return false;
}

/* After a race of plain accesses C11 says nothing, but the processor still does, and a compiler
 * that was told to keep accesses in order (volatile, assembly): what is weak there shows
 * nothing. */
static bool is_weak_behind_race(const struct relaxed_graph *g)
{
    relaxed_races all = {0};
    bool is_behind = false;
    relaxed_find_races(g, &all);
    for (uint32_t i = 0; all.len && i < g->steps.len; i++)
        is_behind |= g->steps.at[i].is_weak && i > all.at[0].second;
    vec_done(&all);
    return is_behind;
}

void weak_tell(struct finding_list *l, struct finding *f, const char *run)
{
    struct relaxed_graph g;
    struct err ignored;
    if (relaxed_graph_read(&g, run, &ignored) < 0)
        return;
    if (has_weak_step(&g)) {
        enum relaxed_where where = relaxed_where(&g);
        if (where != RELAXED_ANYWHERE)
            tell_graph(l, f, &g, where);
        if (is_weak_behind_race(&g)) {
            f->is_confirmed = false;
            f->doubt =
                "it needs weak behaviour of atomics behind a race, where C11 says nothing";
        }
    }
    relaxed_graph_done(&g);
}

uint32_t weak_events(const char *run, uint64_t *out, uint32_t max)
{
    struct relaxed_graph g;
    struct err ignored;
    uint32_t count = 0;
    if (relaxed_graph_read(&g, run, &ignored) < 0)
        return 0;
    for (uint32_t i = 0; i < g.steps.len; i++) {
        const struct relaxed_step *s = &g.steps.at[i];
        if (!s->is_weak)
            continue;
        uint32_t other = s->newest == NONE ? NONE : g.stores.at[s->newest].step;
        if (other != NONE && count < max)
            out[count++] = g.steps.at[other].event;
        if (count < max)
            out[count++] = s->event;
    }
    relaxed_graph_done(&g);
    return count;
}

/* ---- races ------------------------------------------------------------------------------- */

static const char *id_of(struct finding_list *l, const struct place *a, const struct place *b)
{
    AUTO(str) struct str name = {0}, text = {0};
    bool turned =
        strcmp(a->function, b->function) > 0 ||
        (strcmp(a->function, b->function) == 0 && strcmp(a->variable, b->variable) > 0);
    const struct place *x = turned ? b : a, *y = turned ? a : b;
    str_add(&name, "%s %s\n%s %s", x->function, x->variable, y->function, y->variable);
    str_add(&text, "weak-race-%08x", (uint32_t)hash_bytes(name.at, name.len));
    return keep(l, &text);
}

static bool is_place(const struct place *a, const struct place *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* What is known of these two lines already: a race is one, whatever the atomics do. */
static struct finding *known_of(struct finding_list *l, const struct place *a,
                                const struct place *b)
{
    struct finding *weak = NULL;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        struct finding *f = &l->findings.at[i];
        bool has_a = false, has_b = false;
        for (uint32_t k = 0; k < f->sites.len; k++) {
            has_a |= is_place(&f->sites.at[k], a);
            has_b |= is_place(&f->sites.at[k], b);
        }
        if (!has_a || !has_b)
            continue;
        if (f->pattern != PATTERN_WEAK_RACE && f->is_confirmed)
            return f;
        weak = f->pattern == PATTERN_WEAK_RACE ? f : weak;
    }
    return weak;
}

static void say_access(struct str *out, const struct relaxed_step *s, const struct place *p)
{
    str_add(out, "%s by T%u at ", s->frees ? "freed" : s->writes ? "written" : "read", s->thr);
    say_place(out, p);
}

static void tell_race(struct finding_list *l, struct finding *f, const struct relaxed_graph *g,
                      const struct relaxed_race *race, enum relaxed_where where,
                      const char *run)
{
    AUTO(str) struct str text = {0};
    const struct relaxed_step *a = &g->steps.at[race->first], *b = &g->steps.at[race->second];
    struct place pa = place_at(l, g, race->first), pb = place_at(l, g, race->second);
    struct relaxed_goal goal = {.graph = g, .race = *race};
    struct relaxed_remedy remedy;
    bool found = false;
    find_remedy(&goal, &remedy, &found);
    say_place(&text, &pb);
    str_add(&text, ": race by C11's rules on '%s': ", variable_of(*pa.variable ? &pa : &pb));
    say_access(&text, a, &pa);
    str_add(&text, " and ");
    say_access(&text, b, &pb);
    str_add(&text, "; the atomics between them order nothing: %s",
            weak_label_text(label_of(where)));
    f->message = keep(l, &text);
    text.len = 0;
    if (found)
        str_add(&text, "would order them: %s", say_remedy(l, g, &remedy, NONE));
    f->why = keep(l, &text);
    f->is_confirmed = true;
    f->doubt = "";
    f->label = label_of(where);
    f->run = arena_text(&l->mem, run, strlen(run));
    text.len = 0;
    str_add(&text, "heddle replay %s", run);
    f->replay = keep(l, &text);
    text.len = 0;
    str_add(&text, "heddle fix %s", f->id);
    f->fix = keep(l, &text);
}

static void explain_race(struct finding_list *l, struct finding *f,
                         const struct relaxed_graph *g, const struct relaxed_race *race,
                         const char *run)
{
    AUTO(str) struct str path = {0};
    uint64_t numbers[2] = {g->steps.at[race->first].event, g->steps.at[race->second].event};
    struct err ignored;
    str_add(&path, "%s/trace", run);
    f->steps.len = f->threads.len = f->sites.len = 0;
    if (explain_events(f, &l->mem, path.at, numbers, 2, &ignored) < 0)
        f->steps.len = f->threads.len = 0;
    vec_push(&f->sites, place_at(l, g, race->first));
    vec_push(&f->sites, place_at(l, g, race->second));
}

/* Of a run in turns: are the two apart because of atomics, if these only ordered something? */
static bool is_weak(const struct relaxed_graph *g, const struct relaxed_race *race)
{
    return relaxed_orders(g, (struct relaxed_changes){.all = true}, race->first, race->second);
}

static bool is_in(const struct relaxed_graph *g, const struct relaxed_race *race,
                  const relaxed_races *base, const struct relaxed_graph *of)
{
    uint64_t a = g->steps.at[race->first].key, b = g->steps.at[race->second].key;
    for (uint32_t i = 0; base && i < base->len; i++) {
        uint64_t x = of->steps.at[base->at[i].first].key,
                 y = of->steps.at[base->at[i].second].key;
        if ((a == x && b == y) || (a == y && b == x))
            return true;
    }
    return false;
}

static bool is_told(const struct relaxed_graph *g, const struct relaxed_race *race,
                    enum relaxed_where where, const relaxed_races *base,
                    const struct relaxed_graph *of, bool *weak)
{
    *weak = is_weak(g, race);
    return *weak || (where != RELAXED_ANYWHERE && !is_in(g, race, base, of));
}

bool weak_has_races(const char *run, const struct relaxed_graph *base_graph,
                    const relaxed_races *base)
{
    struct relaxed_graph g;
    struct err ignored;
    relaxed_races all = {0};
    bool any = false, weak;
    if (relaxed_graph_read(&g, run, &ignored) < 0)
        return false;
    enum relaxed_where where = has_weak_step(&g) ? relaxed_where(&g) : RELAXED_ANYWHERE;
    relaxed_find_races(&g, &all);
    for (uint32_t i = 0; i < all.len; i++)
        any |= !is_in(&g, &all.at[i], base, base_graph) &&
               is_told(&g, &all.at[i], where, base, base_graph, &weak);
    vec_done(&all);
    relaxed_graph_done(&g);
    return any;
}

uint32_t weak_races_tell(struct finding_list *l, const char *run, const relaxed_races *base,
                         const struct relaxed_graph *base_graph)
{
    struct relaxed_graph g;
    struct err ignored;
    relaxed_races all = {0};
    uint32_t told = 0;
    if (relaxed_graph_read(&g, run, &ignored) < 0)
        return 0;
    enum relaxed_where where = has_weak_step(&g) ? relaxed_where(&g) : RELAXED_ANYWHERE;
    bool allowed = relaxed_first_forbidden(&g, (struct relaxed_changes){0}) == NONE;
    relaxed_find_races(&g, &all);
    for (uint32_t i = 0; allowed && i < all.len && told < RACES_TOLD; i++) {
        struct relaxed_race *race = &all.at[i];
        bool weak;
        if (!is_told(&g, race, where, base, base_graph, &weak))
            continue;
        struct place a = place_at(l, &g, race->first), b = place_at(l, &g, race->second);
        struct finding *f = known_of(l, &a, &b);
        if (!a.line || !b.line || (f && f->is_confirmed))
            continue;
        if (!f) {
            struct finding made = finding_new(PATTERN_WEAK_RACE);
            made.id = id_of(l, &a, &b);
            if (finding_find(l, made.id))
                continue;
            vec_push(&l->findings, made);
            f = &l->findings.at[l->findings.len - 1];
        }
        explain_race(l, f, &g, race, run);
        tell_race(l, f, &g, race, weak ? RELAXED_ELSEWHERE : where, run);
        told++;
    }
    vec_done(&all);
    relaxed_graph_done(&g);
    return told;
}

/* ---- code that is not seen --------------------------------------------------------------- */

struct stranger {
    struct arena *mem;
    const char *doubt; /* NULL: there is none */
};

static void note_stranger(void *arg, enum gap gap, const char *name, const char *sentence)
{
    struct stranger *s = arg;
    AUTO(str) struct str text = {0};
    if (s->doubt || (gap != GAP_OBJECT && gap != GAP_LIBRARY))
        return;
    str_add(&text, "atomics in %s, which is %s, may order it", name, sentence);
    s->doubt = arena_text(s->mem, text.at, text.len);
}

void weak_doubt(struct finding_list *l, const char *program)
{
    AUTO(run_program) struct run_program p = {0};
    struct stranger s = {.mem = &l->mem};
    struct err ignored;
    if (run_program_read(&p, program, &ignored) < 0)
        return;
    gaps_find(&p, program, note_stranger, &s);
    for (uint32_t i = 0; s.doubt && i < l->findings.len; i++) {
        struct finding *f = &l->findings.at[i];
        if (!f->is_confirmed || f->label == WEAK_LABEL_NONE)
            continue;
        f->is_confirmed = false;
        f->doubt = s.doubt;
    }
}
