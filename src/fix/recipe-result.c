/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-result: an atomic variable is changed, and read again to see what it has become:
 *     atomic_fetch_sub(&b->refs, 1);
 *     if (atomic_load(&b->refs) == 0)
 * Between the two others change it. What the change itself returns says it:
 *     if (atomic_fetch_sub(&b->refs, 1) == 1) */
#include "fix/recipe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 160 };

/* A change as it is written, and how the variable is read. */
struct change {
    char text[TEXT_MAX], read[TEXT_MAX], by[TEXT_MAX];
    bool is_add;
};

static bool copy(char *to, struct text t)
{
    if (t.len == 0 || t.len >= TEXT_MAX)
        return false;
    memcpy(to, t.at, t.len);
    to[t.len] = 0;
    return true;
}

/* Where the last argument of a call begins, behind its comma or parenthesis; 0: none. */
static uint32_t last_argument(struct text t)
{
    uint32_t depth = 0;
    for (uint32_t i = t.len; i-- > 0;) {
        depth += t.at[i] == ')';
        if (depth == 1 && (t.at[i] == ',' || t.at[i] == '('))
            return i + 1;
        depth -= t.at[i] == '(';
    }
    return 0;
}

/* "atomic_fetch_sub(&b->refs, 1)", "refs_.fetch_add(n)". */
static bool read_change(struct text t, struct change *out)
{
    static const char *const calls[] = {"atomic_fetch_sub(", "atomic_fetch_add("};
    static const char *const methods[] = {"fetch_sub(", "fetch_add("};
    uint32_t at = t.len && t.at[t.len - 1] == ')' ? last_argument(t) : 0;
    if (!at || !copy(out->text, t) ||
        !copy(out->by, text_trim((struct text){t.at + at, t.len - at - 1})))
        return false;
    for (int i = 0; i < 2; i++) {
        uint32_t len = (uint32_t)strlen(calls[i]), tail = (uint32_t)strlen(methods[i]);
        out->is_add = i;
        if (t.len > len && memcmp(t.at, calls[i], len) == 0 && at > len) {
            struct text object = text_trim((struct text){t.at + len, at - 1 - len});
            snprintf(out->read, sizeof out->read, "atomic_load(%.*s)", TEXT_ARG(object));
            return strlen(out->read) + 1 < sizeof out->read;
        }
        if (at > tail && memcmp(t.at + at - tail, methods[i], tail) == 0) {
            snprintf(out->read, sizeof out->read, "%.*sload()", (int)(at - tail), t.at);
            return strlen(out->read) + 1 < sizeof out->read;
        }
    }
    return false;
}

/* A number; false: it is none. */
static bool read_number(const char *text, long *out)
{
    char *end;
    *out = strtol(text, &end, 10);
    return end != text && !isalnum((unsigned char)*end) && *end != '.';
}

/* What stands for the reading, and for so much of what follows it. */
static uint32_t say_result(const struct change *c, const char *behind, struct str *out)
{
    const char *p = behind + strspn(behind, " ");
    long by, wanted;
    if (strncmp(p, "==", 2) == 0 && read_number(c->by, &by)) {
        const char *number = p + 2 + strspn(p + 2, " ");
        if (read_number(number, &wanted)) {
            str_add(out, "%s == %ld", c->text, c->is_add ? wanted - by : wanted + by);
            return (uint32_t)(number - behind) + (uint32_t)strspn(number, "-0123456789");
        }
    }
    const char *sum = p + 1 + strspn(p + (*p != 0), " ");
    size_t len = strlen(c->by);
    if (*p == (c->is_add ? '-' : '+') && strncmp(sum, c->by, len) == 0 &&
        !isalnum((unsigned char)sum[len]) && sum[len] != '_') {
        str_add(out, "%s", c->text); /* what it was before */
        return (uint32_t)(sum - behind + (long)len);
    }
    str_add(out, "(%s %c %s)", c->text, c->is_add ? '+' : '-', c->by);
    return 0;
}

/* The change is the first statement, and the second one reads: one edit for both. */
static bool join(struct unit *u, node_id first, node_id second, struct patch *out)
{
    struct change c;
    AUTO(str) struct str text = {0}, said = {0};
    if (first == NONE || second == NONE || !read_change(text_trim(node_text(u, first)), &c))
        return false;
    struct text t = node_text(u, second);
    str_bytes(&text, t.at, t.len);
    const char *found = text.at ? strstr(text.at, c.read) : NULL;
    const char *body = text.at ? strpbrk(text.at, "{;") : NULL;
    if (!found || strstr(found + 1, c.read) || (body && body < found))
        return false;
    uint32_t len = (uint32_t)strlen(c.read), more = say_result(&c, found + len, &said);
    patch_add(out, u->files.at[node_of(u, second)->file].path,
              node_of(u, second)->start + (uint32_t)(found - text.at), len + more, said.at,
              EDIT_OPEN);
    remove_statement(u, first, out);
    return true;
}

static void result_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->kind != CAUSE_PATTERN)
        return;
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
        node_id at = u ? node_statement(u, s.node) : NONE;
        if (at == NONE || is_body(u, at))
            continue;
        struct fix_candidate *one = candidate_new(out, "result", cause);
        if (join(u, at, node_of(u, at)->next, &one->patch) ||
            join(u, statement_before(u, at), at, &one->patch)) {
            candidate_explain(one, code, NULL,
                              "what the atomic change returns is looked at, not what the "
                              "variable has become since");
            one->trade = "no lock, and one access less";
            return;
        }
        candidate_free(one);
        out->candidates.len--;
    }
}

const struct recipe recipe_result = {
    .name = "result",
    .help = "what an atomic change returns is used, not a second reading",
    .make = result_make,
    .turn = TURN_FIRST,
};
