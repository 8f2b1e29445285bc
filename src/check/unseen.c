/* SPDX-License-Identifier: Apache-2.0
 *
 * unseen: see unseen.h. */
#include "check/unseen.h"

#include "check/gaps.h"

#include <string.h>

static void add_gap(void *arg, enum gap gap, const char *name, const char *sentence)
{
    struct finding_list *l = arg;
    AUTO(str) struct str text = {0};
    (void)gap;
    str_add(&text, "%s: %s", name, sentence);
    vec_push(&l->unseen, arena_text(&l->mem, text.at, text.len));
}

/* Headers of the system bring hundreds of functions that nobody asked about. */
static bool is_users(const char *file)
{
    return strncmp(file, "/usr/", 5) != 0;
}

/* Made by clang for libraries that combine parts of a reduction in pairs; the runtime does
 * not: never called. */
static bool is_spare(const char *function)
{
    return strstr(function, ".omp.reduction.reduction_func") != NULL;
}

static void find_idle(struct finding_list *out, const struct run_program *p,
                      const struct trace *t)
{
    struct map met = {0};
    for (uint32_t i = 0; i < t->sites.len; i++) {
        struct def_text f = t->sites.at[i].function;
        *map_at(&met, hash_bytes(f.at, f.len)) = 1;
    }
    for (uint32_t i = 0; i < p->sites.len; i++) {
        const struct run_site *s = &p->sites.at[i];
        if (!s->is_access || s->is_private || !is_users(s->file) || is_spare(s->function))
            continue;
        uint32_t *slot = map_at(&met, hash_bytes(s->function, strlen(s->function)));
        if (*slot != NONE)
            continue;
        *slot = 1;
        vec_push(&out->idle, arena_text(&out->mem, s->function, strlen(s->function)));
    }
    map_done(&met);
}

void unseen_find(struct finding_list *out, const char *program, const struct trace *t)
{
    AUTO(run_program) struct run_program p = {0};
    struct err ignored;
    if (run_program_read(&p, program, &ignored) < 0)
        return;
    gaps_find(&p, program, add_gap, out);
    find_idle(out, &p, t);
}
