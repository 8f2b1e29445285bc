/* SPDX-License-Identifier: Apache-2.0
 *
 * account: what became of each suspicious violation. One that two traces have counts once: by
 * what the first of them decided. */
#include "verify/swan.h"

#include <string.h>

enum { LEFTS_MAX = 8 };

static void count_item(struct judge *j, verify_items *list, const struct str *what,
                       const struct str *why, uint32_t max)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].why, why->at) == 0) {
            list->at[i].count++;
            if (max)
                return;
        }
    if (max && list->len >= max)
        return;
    vec_push(list, (struct verify_item){judge_text(j, "%s", what->at),
                                        judge_text(j, "%s", why->at), 1});
}

static void count_left(struct judge *j, struct verify_item item)
{
    j->out->left++;
    if (j->out->lefts.len < LEFTS_MAX)
        vec_push(&j->out->lefts, item);
}

/* What it is called in every trace. */
static uint64_t name_of(const struct swan *s, const struct violation *v)
{
    uint64_t h = v->pattern;
    for (uint32_t i = 0; i < violation_count(v); i++)
        h = hash_u64(h * 0x9e3779b97f4a7c15ULL + s->names.of[model_number(s->m, v->e[i])]);
    return h;
}

/* The same of all at the same places. */
uint64_t account_places(const struct swan *s, const struct violation *v)
{
    uint64_t h = v->pattern + 0x100;
    for (uint32_t i = 0; i < violation_count(v); i++)
        h = hash_u64(h * 0x9e3779b97f4a7c15ULL + s->names.site[model_number(s->m, v->e[i])]);
    return h;
}

static bool is_decided(const struct violation *v)
{
    return v->state == VIOLATION_EXCLUDED || v->state == VIOLATION_PASSED ||
           v->state == VIOLATION_AWAY;
}

static void count_one(struct swan *s, const struct violation *v)
{
    struct verify_verdict *out = s->j->out;
    AUTO(str) struct str what = {0}, why = {0};
    CHECK(v->alike >= 1 && v->state != VIOLATION_OPEN);
    violation_tell(&what, s->m, v);
    out->suspicious++;
    out->alike += v->alike - 1;
    switch (v->state) {
    case VIOLATION_EXCLUDED:
        out->excluded++;
        excluded_tell(&why, s->m, v);
        count_item(s->j, &out->proofs, &what, &why, UINT32_MAX);
        break;
    case VIOLATION_PASSED:
        out->passed++;
        break;
    case VIOLATION_AWAY:
        out->unreachable++;
        str_add(&why, "%s", v->why);
        count_item(s->j, &out->unreached, &what, &why, UINT32_MAX);
        break;
    default:
        count_left(s->j,
                   (struct verify_item){judge_text(s->j, "%s", what.at),
                                        v->why ? v->why : "not tried: the budget is spent", 1});
        break;
    }
}

void account_decided(struct swan *s, violations *open)
{
    for (uint32_t i = 0; i < s->all.len; i++) {
        const struct violation *v = &s->all.at[i];
        if (!is_decided(v)) {
            vec_push(open, *v);
            continue;
        }
        *map_at(&s->j->judged, name_of(s, v)) = 1;
        if (v->state != VIOLATION_AWAY)
            *map_at(&s->j->judged, account_places(s, v)) = 1;
        count_one(s, v);
    }
}

void account_open(struct swan *s, const struct violation *v)
{
    AUTO(str) struct str what = {0};
    violation_tell(&what, s->m, v);
    vec_push(&s->j->pending,
             (struct pending){name_of(s, v), account_places(s, v),
                              judge_text(s->j, "%s", what.at),
                              v->why ? v->why : "no schedule brought it about"});
}

void account_all(struct swan *s)
{
    struct judge *j = s->j;
    for (uint32_t i = 0; i < s->all.len; i++) {
        const struct violation *v = &s->all.at[i];
        if (is_decided(v))
            *map_at(&j->judged, account_places(s, v)) = 1;
        uint32_t *slot = map_at(&j->judged, name_of(s, v));
        if (*slot != NONE)
            continue;
        *slot = 1;
        count_one(s, v);
    }
    for (uint32_t i = 0; i < j->pending.len; i++) {
        const struct pending *p = &j->pending.at[i];
        if (map_find(&j->judged, p->name) != NONE)
            continue;
        if (map_find(&j->judged, p->places) != NONE) {
            j->out->alike++; /* what became of those at the same places holds for it too */
            continue;
        }
        j->out->suspicious++;
        count_left(j, (struct verify_item){p->what, "no schedule brought it about", 1});
    }
}
