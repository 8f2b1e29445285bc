/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-broadcast: several threads wait for one condition, for different things or all for one
 * that stays; a signal wakes one of them, and that may be one that it is not meant for. All are
 * woken: at one place, or wherever the condition is signalled. */
#include "fix/recipe.h"

#include <string.h>

enum { PLACES_MAX = 3 }; /* of one condition that are tried alone */

static const struct {
    const char *one, *all;
} wakes[] = {
    {"pthread_cond_signal", "pthread_cond_broadcast"},
    {"cnd_signal", "cnd_broadcast"},
    {"notify_one", "notify_all"},
};
enum { WAKE_COUNT = sizeof wakes / sizeof wakes[0] };

struct wake {
    struct node_ref call;
    uint32_t row;          /* of wakes */
    struct text condition; /* its own name: cv of &s->cv and of s->cv.notify_one() */
};
typedef VEC(struct wake) wake_list;

static struct text last_name(struct text t)
{
    uint32_t at = t.len;
    while (at > 0 && t.at[at - 1] != '.' && t.at[at - 1] != '>' && t.at[at - 1] != '&')
        at--;
    return text_trim((struct text){t.at + at, t.len - at});
}

/* A call that wakes one, in a function that ran; its bytes are its own. */
static bool read_wake(struct codebase *code, struct node_ref call, struct wake *out)
{
    const struct unit *u = codebase_unit(code, call.unit);
    const struct node *n = node_of(u, call.node);
    node_id function = node_function(u, call.node);
    if (n->kind != NODE_CALL || n->is_macro || n->first == NONE || function == NONE ||
        !has_run(code, node_of(u, function)->name))
        return false;
    for (uint32_t i = 0; i < WAKE_COUNT; i++) {
        if (strcmp(n->name, wakes[i].one) != 0)
            continue;
        bool is_method = node_of(u, n->first)->kind == NODE_MEMBER;
        node_id what = is_method ? node_of(u, n->first)->first : node_of(u, n->first)->next;
        if (what == NONE)
            return false;
        *out = (struct wake){call, i, last_name(node_text(u, what))};
        return out->condition.len > 0;
    }
    return false;
}

/* A header's calls are there in every unit that reads it. */
static bool is_listed(struct codebase *code, const wake_list *list, struct node_ref call)
{
    const struct unit *u = codebase_unit(code, call.unit);
    for (uint32_t i = 0; i < list->len; i++) {
        const struct unit *v = codebase_unit(code, list->at[i].call.unit);
        const struct node *a = node_of(u, call.node), *b = node_of(v, list->at[i].call.node);
        if (a->start == b->start &&
            strcmp(u->files.at[a->file].path, v->files.at[b->file].path) == 0)
            return true;
    }
    return false;
}

static void list_wakes(struct codebase *code, wake_list *out)
{
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            struct wake one;
            struct node_ref call = {i, n};
            if (read_wake(code, call, &one) && !is_listed(code, out, call))
                vec_push(out, one);
        }
    }
}

static void wake_all(struct codebase *code, const struct wake *w, struct patch *out)
{
    const struct unit *u = codebase_unit(code, w->call.unit);
    const struct node *callee = node_of(u, node_of(u, w->call.node)->first);
    uint32_t len = (uint32_t)strlen(wakes[w->row].one);
    patch_add(out, u->files.at[callee->file].path, callee->end - len, len, wakes[w->row].all,
              EDIT_OPEN);
}

static bool is_same_condition(const struct wake *a, const struct wake *b)
{
    return a->condition.len == b->condition.len &&
           memcmp(a->condition.at, b->condition.at, a->condition.len) == 0;
}

static void tell(struct fix_candidate *one, struct codebase *code)
{
    candidate_explain(one, code, NULL,
                      "whoever waits for the condition is woken, and looks for itself");
    one->trade = "no new lock; threads wake up that have nothing to do yet";
    one->shows_in_locks = true;
}

/* Wherever the condition of this one is signalled. */
static void make_all(struct codebase *code, uint32_t cause, const wake_list *list,
                     uint32_t first, struct fix_repair *out)
{
    struct fix_candidate *one = candidate_new(out, "broadcast", cause);
    for (uint32_t i = first; i < list->len; i++)
        if (is_same_condition(&list->at[i], &list->at[first]))
            wake_all(code, &list->at[i], &one->patch);
    tell(one, code);
}

static void broadcast_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    wake_list list = {0};
    if (c->failure >= code->causes->failures.len ||
        code->causes->failures.at[c->failure].outcome != WORD_VALUE(OUTCOME, DEADLOCK))
        return;
    list_wakes(code, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        uint32_t before = 0, same = 0;
        for (uint32_t k = 0; k < list.len; k++) {
            same += is_same_condition(&list.at[k], &list.at[i]);
            before += k < i && is_same_condition(&list.at[k], &list.at[i]);
        }
        if (same > 1 && same <= PLACES_MAX) {
            struct fix_candidate *one = candidate_new(out, "broadcast", cause);
            wake_all(code, &list.at[i], &one->patch);
            tell(one, code);
        }
        if (before + 1 == same) { /* the last: then all together */
            uint32_t first = 0;
            while (!is_same_condition(&list.at[first], &list.at[i]))
                first++;
            make_all(code, cause, &list, first, out);
        }
    }
    vec_done(&list);
}

const struct recipe recipe_broadcast = {
    .name = "broadcast",
    .help = "all threads that wait are woken, not one",
    .make = broadcast_make,
};
