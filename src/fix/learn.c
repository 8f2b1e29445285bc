/* SPDX-License-Identifier: Apache-2.0
 *
 * learn: what a patched program that fails teaches. Its causes are at lines of the patched
 * text; they become causes of the program before, at the lines that those came from. One that
 * needs a line which the patch has written is the patch's own, and says nothing. */
#include "fix/plan.h"

#include <stdlib.h>
#include <string.h>

enum { LEARN_RUNS = 200 };

struct back {
    struct causes *all;
    patch_files files;
    VEC(struct line_map) maps; /* by file: of the patched text, to the one before */
};

static const char *keep(struct back *b, const char *text)
{
    return arena_text(&b->all->mem, text, strlen(text));
}

static int map_file(struct back *b, const struct fix_candidate *c, const fix_texts *texts,
                    const char *file, struct err *err)
{
    AUTO(bytes) struct bytes old = {0};
    AUTO(str) struct str new = {0};
    struct line_map map;
    if (text_before_patch(&old, texts, file, err) < 0)
        return -1;
    struct text before = {(const char *)old.at, (uint32_t)old.len};
    if (patch_apply(&c->patch, file, before, &new, err) < 0)
        return -1;
    line_map_make(&map, (struct text){new.at ? new.at : "", (uint32_t)new.len}, before);
    vec_push(&b->maps, map);
    return 0;
}

static void back_done(struct back *b)
{
    for (uint32_t i = 0; i < b->maps.len; i++)
        line_map_done(&b->maps.at[i]);
    vec_done(&b->maps);
    vec_done(&b->files);
}

/* How many bytes the ends of the two have in common. */
static size_t common_end(const char *a, const char *b)
{
    size_t x = strlen(a), y = strlen(b), same = 0;
    while (same < x && same < y && a[x - same - 1] == b[y - same - 1])
        same++;
    return same;
}

/* The map of the file of this name, of those called so the one whose path is most alike; NULL:
 * it was not patched. */
static const struct line_map *map_of(const struct back *b, const char *file)
{
    const struct line_map *best = NULL;
    size_t most = 0;
    for (uint32_t i = 0; i < b->maps.len; i++) {
        size_t same = common_end(b->files.at[i], file);
        if (strcmp(base_name(b->files.at[i]), base_name(file)) == 0 && same > most) {
            most = same;
            best = &b->maps.at[i];
        }
    }
    return best;
}

/* False: the patch wrote it. */
static bool site_back(struct back *b, struct code_site *s)
{
    const struct line_map *m = map_of(b, s->file);
    uint32_t line = m ? line_map_find(m, s->line) : s->line;
    if (m && line) {
        int32_t column = (int32_t)s->column + m->shift.at[s->line - 1];
        s->column = column > 0 ? (uint32_t)column : 0;
    }
    s->line = line;
    s->file = keep(b, s->file);
    s->function = keep(b, s->function);
    s->name = keep(b, s->name);
    return line > 0;
}

/* "heap(pool.c:33).count": objects are named by the line that made them. */
static const char *name_back(struct back *b, const char *name)
{
    const char *open = strchr(name, '('), *colon = open ? strchr(open, ':') : NULL;
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!digits || colon[1 + digits] != ')')
        return keep(b, name);
    AUTO(str) struct str file = {0}, out = {0};
    str_bytes(&file, open + 1, (size_t)(colon - open - 1));
    const struct line_map *m = map_of(b, file.at);
    uint32_t line = (uint32_t)strtoul(colon + 1, NULL, 10);
    uint32_t old = m ? line_map_find(m, line) : line;
    str_add(&out, "%.*s%u%s", (int)(colon + 1 - name), name, old ? old : line,
            colon + 1 + digits);
    return arena_text(&b->all->mem, out.at, out.len);
}

static void stack_back(struct back *b, struct code_stack *s)
{
    struct code_site *frames = arena_get(&b->all->mem, (s->depth + 1) * sizeof *frames);
    for (uint32_t i = 0; i < s->depth; i++) {
        frames[i] = s->frames[i];
        (void)site_back(b, &frames[i]); /* its function is what counts */
    }
    s->frames = frames;
}

static bool cause_back(struct back *b, struct cause *c)
{
    for (uint32_t i = 0; i < c->step_count; i++) {
        if (!site_back(b, &c->steps[i].site))
            return false;
        stack_back(b, &c->steps[i].stack);
    }
    for (uint32_t i = 0; i < c->variable_count; i++)
        c->variables[i] = name_back(b, c->variables[i]);
    c->flip.why = keep(b, c->flip.why ? c->flip.why : "");
    c->force.why = keep(b, c->force.why ? c->force.why : "");
    return true;
}

/* Those of the most frequent failure. 1: none is about the program before. */
static int take_causes(struct back *b, const struct causes *more)
{
    struct cause_failure f = more->failures.at[0];
    uint32_t before = b->all->causes.len;
    for (uint32_t i = 0; i < more->causes.len; i++) {
        struct cause c = more->causes.at[i];
        if (c.failure != 0 || !cause_back(b, &c))
            continue;
        CHECK(c.step_count > 0 && c.step_count <= CAUSE_STEPS_MAX &&
              c.variable_count <= CAUSE_STEPS_MAX);
        c.failure = b->all->failures.len;
        vec_push(&b->all->causes, c);
    }
    if (b->all->causes.len == before)
        return 1;
    f.kind = keep(b, f.kind);
    f.run = ""; /* it is not one of the program before */
    f.text = keep(b, f.text);
    vec_push(&b->all->failures, f);
    return 0;
}

int learn_causes(struct causes *all, const struct fix_candidate *c,
                 const struct fix_repair_opts *opts, struct err *err)
{
    struct back b = {.all = all};
    struct causes more = {0};
    argv_list argv = {0};
    int failed = 0;
    CHECK(c->state == FIX_PARTIAL && *c->breaks && *c->program);
    candidate_argv(&argv, c, opts);
    patch_list(&c->patch, &b.files);
    for (uint32_t i = 0; i < b.files.len && !failed; i++)
        failed = map_file(&b, c, opts->texts, b.files.at[i], err);
    struct seek_runs seek = {.argv = argv.at,
                             .run = opts->run,
                             .pool = opts->pool,
                             .runs = LEARN_RUNS,
                             .progress = opts->progress};
    if (!failed)
        failed = causes_find(&more, &seek, err);
    if (!failed)
        failed = more.failures.len ? take_causes(&b, &more) : 1;
    causes_done(&more);
    back_done(&b);
    vec_done(&argv);
    return failed;
}
