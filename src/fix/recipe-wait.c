/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-wait: two accesses in the wrong order (patterns 1 to 3): the one that came too early
 * waits until the other has been made. It waits, it does not skip: PFix's figure 5 loses the
 * work. That nobody waits for ever is what the proof looks for. */
#include "fix/recipe.h"

#include <string.h>

struct names {
    const char *lock, *cond, *flag;
};

static void declare(struct codebase *code, struct unit *u, const struct names *n,
                    const char *variable, struct patch *out)
{
    const char *texts[] = {
        keep_text(code,
                  u->is_cxx ? "static std::mutex %s;"
                            : "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;",
                  n->lock),
        keep_text(code,
                  u->is_cxx ? "static std::condition_variable %s;"
                            : "static pthread_cond_t %s = PTHREAD_COND_INITIALIZER;",
                  n->cond),
        keep_text(code, u->is_cxx ? "static bool %s;" : "static int %s;", n->flag)};
    node_id at = NONE;
    for (node_id i = node_of(u, 0)->first; i != NONE; i = node_of(u, i)->next) {
        const struct node *node = node_of(u, i);
        if (node->kind == NODE_VARIABLE && node->file == 0 && strcmp(node->name, variable) == 0)
            at = i;
    }
    include_header(u, 0, u->is_cxx ? "mutex" : "pthread.h", out);
    if (u->is_cxx)
        include_header(u, 0, "condition_variable", out);
    for (unsigned i = 0; i < 3; i++)
        if (at != NONE)
            declare_behind(u, at, texts[i], out);
        else
            declare_first(u, 0, texts[i], out);
}

static void put_c(struct codebase *code, struct unit *u, node_id waits, node_id sets,
                  const struct names *n)
{
    unit_insert(u, waits, INSERT_OPEN, keep_text(code, "pthread_mutex_lock(&%s);", n->lock));
    unit_insert(u, waits, INSERT_OPEN, keep_text(code, "while (!%s)", n->flag));
    unit_insert(u, waits, INSERT_OPEN,
                keep_text(code, "    pthread_cond_wait(&%s, &%s);", n->cond, n->lock));
    unit_insert(u, waits, INSERT_OPEN, keep_text(code, "pthread_mutex_unlock(&%s);", n->lock));
    unit_insert(u, sets, INSERT_CLOSE, keep_text(code, "pthread_mutex_unlock(&%s);", n->lock));
    unit_insert(u, sets, INSERT_CLOSE,
                keep_text(code, "pthread_cond_broadcast(&%s);", n->cond));
    unit_insert(u, sets, INSERT_CLOSE, keep_text(code, "%s = 1;", n->flag));
    unit_insert(u, sets, INSERT_CLOSE, keep_text(code, "pthread_mutex_lock(&%s);", n->lock));
}

static void put_cxx(struct codebase *code, struct unit *u, node_id waits, node_id sets,
                    const struct names *n)
{
    const char *guard = unit_fresh(u, "guard");
    unit_insert(u, waits, INSERT_OPEN, "{");
    unit_insert(u, waits, INSERT_OPEN,
                keep_text(code, "    std::unique_lock<std::mutex> %s(%s);", guard, n->lock));
    unit_insert(
        u, waits, INSERT_OPEN,
        keep_text(code, "    %s.wait(%s, [] { return %s; });", n->cond, guard, n->flag));
    unit_insert(u, waits, INSERT_OPEN, "}");
    unit_insert(u, sets, INSERT_CLOSE, "}");
    unit_insert(u, sets, INSERT_CLOSE, keep_text(code, "    %s.notify_all();", n->cond));
    unit_insert(u, sets, INSERT_CLOSE, keep_text(code, "    %s = true;", n->flag));
    unit_insert(u, sets, INSERT_CLOSE,
                keep_text(code, "    std::lock_guard<std::mutex> %s(%s);", guard, n->lock));
    unit_insert(u, sets, INSERT_CLOSE, "{");
}

/* Does it access an element of an array? */
static bool has_index(const struct unit *u, node_id statement)
{
    for (node_id i = statement; i != NONE; i = node_walk(u, statement, i))
        if (node_of(u, i)->kind == NODE_INDEX)
            return true;
    return false;
}

static int make_wait(struct codebase *code, const struct cause *c, struct patch *out,
                     struct err *err)
{
    struct node_ref early = codebase_find(code, &c->steps[0].site),
                    late = codebase_find(code, &c->steps[1].site);
    if (early.node == NONE || late.node == NONE)
        return err_set(err, "the source was not found");
    if (early.unit != late.unit)
        return err_set(err, "the two places are in different files");
    struct unit *u = codebase_unit(code, early.unit);
    node_id waits = node_statement(u, early.node), sets = node_statement(u, late.node);
    if (waits == NONE || sets == NONE || waits == sets)
        return err_set(err, "both are the same statement");
    if (has_index(u, waits) && has_index(u, sets))
        return err_set(err, "one flag would stand for all elements of an array");
    if (c->pass)
        return err_set(err, "runs pass in which nobody waits for it");
    const struct guard *g = c->variable_count ? codebase_guard(code, c->variables[0]) : NULL;
    if (g && g->guarded_sites)
        return err_set(err, "%s has a lock: its order is not what is missing", g->variable);
    if (c->steps[0].action != CAUSE_READ || c->steps[1].action != CAUSE_WRITE)
        return err_set(err, "what came first does not need the other");
    for (node_id n = sets; n != NONE; n = node_walk(u, sets, n))
        if (is_release(u, n))
            return err_set(err, "nobody should wait until it is released");
    const char *name = name_stem(code, c->steps[0].site.name);
    struct names n = {unit_fresh(u, keep_text(code, "%s_lock", name)),
                      unit_fresh(u, keep_text(code, "%s_made", name)),
                      unit_fresh(u, keep_text(code, "%s_is_made", name))};
    u->is_cxx ? put_cxx(code, u, waits, sets, &n) : put_c(code, u, waits, sets, &n);
    declare(code, u, &n, name, out);
    unit_flush(u, out);
    return 0;
}

static void wait_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    struct err err;
    if (c->kind != CAUSE_PATTERN || c->step_count != 2)
        return;
    struct fix_candidate *one = candidate_new(out, "wait", cause);
    if (make_wait(code, c, &one->patch, &err) < 0) {
        candidate_drop(out, code, &err);
        return;
    }
    candidate_explain(one, code, NULL,
                      "the first of them waits until the second has been made");
    one->locks = 1;
    one->trade = "a new lock and a new condition; whoever comes early waits";
}

const struct recipe recipe_wait = {
    .name = "wait",
    .help = "an access that comes too early waits for the other",
    .make = wait_make,
};
