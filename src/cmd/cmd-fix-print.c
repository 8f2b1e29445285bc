/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-print: a repair as text and as JSON (docs/fix.md). */
#include "cmd/fix-finding.h"

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/cost-words.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 90 };

/* Lines of at most so many columns behind an indentation; all but the first are as much deeper
 * as `hang` is long. */
static void add_folded(struct str *out, const char *text, const char *indent, const char *hang)
{
    size_t column = 0;
    str_add(out, "%s", indent);
    while (*text) {
        size_t len = strcspn(text, " ");
        if (column && column + 1 + len > COLUMNS) {
            str_add(out, "\n%s%s", indent, hang);
            column = strlen(hang);
        } else if (column) {
            str_char(out, ' ');
        }
        str_bytes(out, text, len);
        column += len + 1;
        text += len + (text[len] == ' ');
    }
    str_add(out, "\n");
}

static void add_proof(struct str *out, const struct fix_candidate *c, const char *indent)
{
    for (uint32_t i = 0; i < c->log.len; i++)
        add_folded(out, c->log.at[i], indent, "  ");
}

static void add_others(struct str *out, const struct fix_finding *t)
{
    const struct fix_repair *r = t->repair;
    for (uint32_t i = 0; i < r->candidates.len; i++) {
        const struct fix_candidate *c = &r->candidates.at[i];
        if (i == r->best || c->is_offered || (!t->all && !c->round))
            continue;
        str_add(out, "  %s: %s, %u line%s, %u new lock%s: %s\n", c->recipe,
                fix_state_text(c->state), c->lines, c->lines == 1 ? "" : "s", c->locks,
                c->locks == 1 ? "" : "s", c->trade);
        if (t->all)
            add_proof(out, c, "      ");
    }
    for (uint32_t i = 0; t->all && i < r->refusals.len; i++)
        add_folded(out, r->refusals.at[i], "  ", "  ");
}

/* The bytes that patch takes, or what they would do if there are too many. */
static void add_diff(struct str *out, const struct fix_finding *t,
                     const struct fix_candidate *c)
{
    if (!is_too_large(t, c)) {
        str_bytes(out, c->diff.at ? c->diff.at : "", c->diff.len);
        return;
    }
    fix_add_summary(out, c, "");
    str_add(out,
            "%u lines are more than --max-lines %u shows; all of it is in %s/patches/%s.diff\n",
            c->lines, t->lines_max, t->home, t->name);
}

static void add_cost(struct str *out, const struct fix_candidate *c, const char *head,
                     const char *indent)
{
    AUTO(str) struct str words = {0};
    if (!add_cost_words(&words, &c->cost_before, &c->cost_after))
        return;
    str_add(out, "%s", head);
    words.at[--words.len] = 0; /* the end of the line is the folder's */
    add_folded(out, words.at, indent, "  ");
}

/* Its diff stands behind bars: who feeds all of the output to patch gets the best one only. */
static void add_alternative(struct str *out, const struct fix_finding *t,
                            const struct fix_candidate *c, uint32_t number)
{
    str_add(out, "  %u  %s: %u line%s, %u new lock%s: %s\n", number, c->recipe, c->lines,
            c->lines == 1 ? "" : "s", c->locks, c->locks == 1 ? "" : "s", c->trade);
    add_cost(out, c, "", "     ");
    if (is_too_large(t, c)) {
        fix_add_summary(out, c, "     ");
        return;
    }
    for (const char *at = c->diff.at ? c->diff.at : ""; *at;) {
        size_t len = strcspn(at, "\n");
        str_add(out, "     | %.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }
}

static void add_alternatives(struct str *out, const struct fix_finding *t)
{
    uint32_t number = 0;
    str_add(out, "alternatives\n");
    for (uint32_t i = 0; i < t->repair->candidates.len; i++)
        if (t->repair->candidates.at[i].is_offered)
            add_alternative(out, t, &t->repair->candidates.at[i], ++number);
    if (number == 0)
        str_add(out, "  no other plan that was tried is proven\n");
}

static bool is_here(const char *directory)
{
    char here[PATH_MAX];
    return getcwd(here, sizeof here) && strcmp(here, directory) == 0;
}

/* The same search again, or only the patch. */
static void add_commands(struct str *out, const struct fix_finding *t)
{
    const char *root = best_of(t)->root;
    bool is_one = t->finding && t->other_count == 0;
    str_add(out, "apply  heddle fix --apply%s%s", is_one ? " " : " --",
            is_one ? t->finding->id : "");
    for (char *const *word = t->argv; !is_one && *word; word++) {
        str_char(out, ' ');
        str_shell(out, *word);
    }
    str_add(out, "\n   or  patch -p1");
    if (!is_here(root)) {
        str_add(out, " -d ");
        str_shell(out, *root ? root : "/");
    }
    str_add(out, " <%s/patches/%s.diff\n", t->home, t->name);
}

void fix_print_text(const struct fix_finding *t, struct str *out)
{
    const struct fix_candidate *c = best_of(t);
    const struct fix_repair *r = t->repair;
    if (!c) {
        str_add(out, "%s: no patch for %s\n", t->program,
                t->causes->failures.len ? t->causes->failures.at[0].kind : t->name);
        for (uint32_t i = 0; i < r->refusals.len; i++)
            add_folded(out, r->refusals.at[i], "  ", "  ");
        if (t->causes->causes.len == 0)
            str_add(out,
                    "  no order of accesses tells the runs that fail from those that pass\n");
        if (t->explain)
            fix_add_account(out, &r->account);
        return;
    }
    AUTO(str) struct str up_to = {0}, name = {0};
    if (c->state == FIX_PROVEN && c->has_bound)
        str_add(&up_to, ", proven up to %u preemptions", c->bound);
    if (c->state == FIX_PROVEN && c->is_serial)
        str_add(&up_to, ", but it runs one after the other what ran at the same time");
    str_add(&name, "%s", t->name);
    for (uint32_t i = 0; i < t->other_count; i++)
        str_add(&name, ", %s", t->others[i]);
    str_add(out, "%s: %s patch for %s: %s, %u line%s, %u new lock%s, round %u of %u%s\n\n",
            t->program, fix_state_text(c->state), name.at, c->recipe, c->lines,
            c->lines == 1 ? "" : "s", c->locks, c->locks == 1 ? "" : "s", c->round, r->rounds,
            up_to.len ? up_to.at : "");
    add_diff(out, t, c);
    str_add(out, "\nwhy\n");
    add_folded(out, c->why, "  ", "");
    for (uint32_t i = 0; i < c->patch.notes.len; i++)
        add_folded(out, c->patch.notes.at[i], "  ", "");
    str_add(out, "proof\n");
    add_proof(out, c, "  ");
    if (c->state != FIX_PROVEN)
        str_add(out, "  this patch is partial: it is not enough, or not shown to be\n");
    add_cost(out, c, "cost\n", "  ");
    if (t->alternatives)
        add_alternatives(out, t);
    if (t->explain)
        fix_add_account(out, &r->account);
    if (r->candidates.len > 1 && (t->all || r->rounds > 1)) {
        str_add(out, "others\n");
        add_others(out, t);
    }
    if (c->state == FIX_PROVEN)
        add_commands(out, t);
    else if (!is_here(c->root))
        str_add(out, "names  from %s: patch -p1 -d %s\n", *c->root ? c->root : "/",
                *c->root ? c->root : "/");
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void put_diff(struct json *j, const struct fix_finding *t, const struct fix_candidate *c)
{
    AUTO(str) struct str summary = {0};
    bool is_large = is_too_large(t, c);
    json_put_bool(j, "large", is_large);
    json_key(j, "diff");
    json_text(j, is_large ? TEXT("")
                          : (struct text){str_text(&c->diff).at, (uint32_t)c->diff.len});
    if (!is_large)
        return;
    fix_add_summary(&summary, c, "");
    json_put_open(j, "summary", '[');
    for (const char *at = summary.at ? summary.at : ""; *at;) {
        size_t len = strcspn(at, "\n");
        json_text(j, (struct text){at, (uint32_t)len});
        at += len + (at[len] == '\n');
    }
    json_close(j, ']');
}

static void put_cost(struct json *j, const struct fix_candidate *c)
{
    if (c->cost_after.events == 0)
        return;
    json_put_open(j, "cost", '{');
    verify_put_cost(j, "before", &c->cost_before);
    verify_put_cost(j, "after", &c->cost_after);
    json_close(j, '}');
}

static void add_candidate(struct json *j, const struct fix_finding *t,
                          const struct fix_candidate *c)
{
    json_open(j, '{');
    json_put_text(j, "recipe", c->recipe);
    json_put_text(j, "state", fix_state_text(c->state));
    JSON_U64S(j, {"cause", c->cause}, {"round", c->round}, {"locks", c->locks},
              {"lines", c->lines});
    if (c->state == FIX_PROVEN && c->has_bound) {
        json_put_open(j, "bound", '{');
        json_put_u64(j, "preemptions", c->bound);
        json_put_bool(j, "complete", true);
        json_close(j, '}');
    }
    json_put_bool(j, "serial", c->is_serial);
    json_put_text(j, "why", c->why);
    json_put_text(j, "trade", c->trade);
    json_put_texts(j, "proof", c->log.at, c->log.len);
    json_put_texts(j, "notes", c->patch.notes.at, c->patch.notes.len);
    json_put_text(j, "breaks", c->breaks);
    put_cost(j, c);
    put_diff(j, t, c);
    json_close(j, '}');
}

void fix_print_json(const struct fix_finding *t, struct str *out)
{
    struct json j = {.out = out};
    const struct fix_candidate *c = best_of(t);
    json_open(&j, '{');
    json_put_u64(&j, "version", 1);
    cmd_json_stopped(&j);
    json_put_text(&j, "program", t->program);
    json_put_text(&j, "name", t->name);
    json_put_texts(&j, "others", t->others, t->other_count);
    json_put_text(&j, "verdict", c ? fix_state_text(c->state) : "none");
    json_put_open(&j, "failures", '[');
    for (uint32_t i = 0; i < t->causes->failures.len; i++)
        json_text(&j, text_of(t->causes->failures.at[i].kind));
    json_close(&j, ']');
    json_put_u64(&j, "causes", t->causes->causes.len);
    json_put_u64(&j, "rounds", t->repair->rounds);
    json_key(&j, "best");
    if (c)
        add_candidate(&j, t, c);
    else
        json_text(&j, TEXT(""));
    json_put_open(&j, "candidates", '[');
    for (uint32_t i = 0; i < t->repair->candidates.len; i++)
        if (i != t->repair->best && (t->all || t->repair->candidates.at[i].round))
            add_candidate(&j, t, &t->repair->candidates.at[i]);
    json_close(&j, ']');
    json_put_open(&j, "alternatives", '[');
    for (uint32_t i = 0; i < t->repair->candidates.len; i++)
        if (t->repair->candidates.at[i].is_offered)
            add_candidate(&j, t, &t->repair->candidates.at[i]);
    json_close(&j, ']');
    if (t->explain)
        fix_put_account(&j, &t->repair->account);
    json_put_texts(&j, "refused", t->repair->refusals.at, t->repair->refusals.len);
    json_close(&j, '}');
    str_char(out, '\n');
}
