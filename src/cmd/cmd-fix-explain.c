/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-explain: why this plan (`heddle fix --explain`), and a patch that is too large to be
 * shown, in a line for each of its files. Violations and moves are numbered from 1. */
#include "cmd/fix-finding.h"

#include <string.h>

/* ---- summary ----------------------------------------------------------------------------- */

void fix_add_summary(struct str *out, const struct fix_candidate *c, const char *indent)
{
    const char *at = c->diff.at ? c->diff.at : "";
    while (*at) {
        uint32_t added = 0, removed = 0, places = 0;
        struct text name = {"", 0};
        for (bool is_head = true; *at && (is_head || strncmp(at, "--- ", 4) != 0);) {
            uint32_t len = (uint32_t)strcspn(at, "\n");
            is_head &= places == 0;
            if (strncmp(at, "@@", 2) == 0)
                places++;
            else if (places == 0 && strncmp(at, "+++ b/", 6) == 0)
                name = (struct text){at + 6, len - 6};
            added += places > 0 && *at == '+';
            removed += places > 0 && *at == '-';
            is_head &= places == 0;
            at += len + (at[len] == '\n');
        }
        str_add(out, "%s%.*s: %u line%s added, %u taken out, at %u place%s\n", indent,
                TEXT_ARG(name), added, added == 1 ? "" : "s", removed, places,
                places == 1 ? "" : "s");
    }
}

/* ---- text -------------------------------------------------------------------------------- */

static void add_numbers(struct str *out, const uint32_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        str_add(out, "%s%u", i ? ", " : "", at[i] + 1);
}

static void add_violations(struct str *out, const struct fix_account *a)
{
    str_add(out, "violations\n");
    for (uint32_t i = 0; i < a->violations.len; i++) {
        const struct fix_violation *v = &a->violations.at[i];
        str_add(out, "  %u  %s%s%s; %s", i + 1, v->failure, *v->failure ? ": " : "", v->text,
                v->known);
        if (v->round)
            str_add(out, "; learnt from the program of round %u", v->round);
        str_add(out, "\n");
    }
    if (a->violations.len == 0)
        str_add(out, "  none is known\n");
}

static bool was_tried(const struct fix_account *a, uint32_t move)
{
    for (uint32_t i = 0; i < a->rounds.len; i++)
        for (uint32_t k = 0; k < a->rounds.at[i].moves.len; k++)
            if (a->rounds.at[i].moves.at[k] == move)
                return true;
    return false;
}

static void add_moves(struct str *out, const struct fix_account *a)
{
    uint32_t others = 0;
    str_add(out, "moves\n");
    for (uint32_t i = 0; i < a->moves.len; i++) {
        const struct fix_move *m = &a->moves.at[i];
        if (!was_tried(a, i)) {
            others++;
            continue;
        }
        str_add(out, "  %u  %s: excludes ", i + 1, m->recipe);
        if (m->excludes.len)
            add_numbers(out, m->excludes.at, m->excludes.len);
        else
            str_add(out, "none of them for certain");
        str_add(out, "%s%s%s\n", m->locks ? "; a new lock" : "",
                m->is_last ? "; a last resort" : "",
                m->is_vain ? "; in vain, as a run showed" : "");
    }
    if (others)
        str_add(out, "  %u more that no plan needed so far\n", others);
}

static void add_rounds(struct str *out, const struct fix_account *a)
{
    str_add(out, "tried\n");
    for (uint32_t i = 0; i < a->rounds.len; i++) {
        const struct fix_round *r = &a->rounds.at[i];
        if (r->round)
            str_add(out, "  round %u: ", r->round);
        else
            str_add(out, "  ");
        str_add(out, "move%s ", r->moves.len == 1 ? "" : "s");
        add_numbers(out, r->moves.at, r->moves.len);
        str_add(out, ": %s: %s\n", r->state, r->said);
    }
}

void fix_add_account(struct str *out, const struct fix_account *a)
{
    add_violations(out, a);
    add_moves(out, a);
    add_rounds(out, a);
    if (a->left.len == 0)
        return;
    str_add(out, "left   no move of the plan is known to exclude ");
    add_numbers(out, a->left.at, a->left.len);
    str_add(out, "; the proof decides\n");
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_numbers(struct json *j, const char *key, const uint32_t *at, uint32_t count)
{
    json_put_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++)
        json_u64(j, at[i] + 1);
    json_close(j, ']');
}

static void put_violation(struct json *j, const struct fix_violation *v)
{
    json_open(j, '{');
    JSON_TEXTS(j, {"text", v->text}, {"known", v->known}, {"failure", v->failure});
    json_put_u64(j, "round", v->round);
    json_close(j, '}');
}

static void put_move(struct json *j, const struct fix_move *m)
{
    json_open(j, '{');
    json_put_text(j, "recipe", m->recipe);
    put_numbers(j, "excludes", m->excludes.at, m->excludes.len);
    json_put_u64(j, "locks", m->locks);
    json_put_bool(j, "last", m->is_last);
    json_put_bool(j, "vain", m->is_vain);
    json_put_text(j, "why", m->why);
    json_close(j, '}');
}

static void put_round(struct json *j, const struct fix_round *r)
{
    json_open(j, '{');
    json_put_u64(j, "round", r->round);
    put_numbers(j, "moves", r->moves.at, r->moves.len);
    json_put_text(j, "state", r->state);
    json_put_text(j, "said", r->said);
    json_close(j, '}');
}

void fix_put_account(struct json *j, const struct fix_account *a)
{
    json_put_open(j, "explain", '{');
    JSON_EACH(j, "violations", &a->violations, put_violation);
    JSON_EACH(j, "moves", &a->moves, put_move);
    JSON_EACH(j, "tried", &a->rounds, put_round);
    put_numbers(j, "left", a->left.at, a->left.len);
    json_close(j, '}');
}
