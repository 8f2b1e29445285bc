/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-print: a repair as text and as JSON (docs/fix.md). */
#include "cmd/fix-finding.h"

#include "base/json.h"
#include "cmd/cmd.h"

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
        if (i == r->best || (!t->all && !c->round))
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

static bool is_here(const char *directory)
{
    char here[PATH_MAX];
    return getcwd(here, sizeof here) && strcmp(here, directory) == 0;
}

/* The same search again, or only the patch. */
static void add_commands(struct str *out, const struct fix_finding *t)
{
    const char *root = best_of(t)->root;
    str_add(out, "apply  heddle fix --apply%s%s", t->finding ? " " : " --",
            t->finding ? t->finding->id : "");
    for (char *const *word = t->argv; !t->finding && *word; word++) {
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
        return;
    }
    AUTO(str) struct str up_to = {0};
    if (c->state == FIX_PROVEN && c->has_bound)
        str_add(&up_to, ", proven up to %u preemptions", c->bound);
    str_add(out, "%s: %s patch for %s: %s, %u line%s, %u new lock%s, round %u of %u%s\n\n",
            t->program, fix_state_text(c->state), t->name, c->recipe, c->lines,
            c->lines == 1 ? "" : "s", c->locks, c->locks == 1 ? "" : "s", c->round, r->rounds,
            up_to.len ? up_to.at : "");
    str_bytes(out, c->diff.at ? c->diff.at : "", c->diff.len);
    str_add(out, "\nwhy\n");
    add_folded(out, c->why, "  ", "");
    for (uint32_t i = 0; i < c->patch.notes.len; i++)
        add_folded(out, c->patch.notes.at[i], "  ", "");
    str_add(out, "proof\n");
    add_proof(out, c, "  ");
    if (c->state != FIX_PROVEN)
        str_add(out, "  this patch is partial: it is not enough, or not shown to be\n");
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

static void add_candidate(struct json *j, const struct fix_candidate *c)
{
    json_open(j, '{');
    json_put_text(j, "recipe", c->recipe);
    json_put_text(j, "state", fix_state_text(c->state));
    json_put_u64(j, "cause", c->cause);
    json_put_u64(j, "round", c->round);
    json_put_u64(j, "locks", c->locks);
    json_put_u64(j, "lines", c->lines);
    if (c->state == FIX_PROVEN && c->has_bound) {
        json_put_open(j, "bound", '{');
        json_put_u64(j, "preemptions", c->bound);
        json_put_bool(j, "complete", true);
        json_close(j, '}');
    }
    json_put_text(j, "why", c->why);
    json_put_text(j, "trade", c->trade);
    json_put_texts(j, "proof", c->log.at, c->log.len);
    json_put_texts(j, "notes", c->patch.notes.at, c->patch.notes.len);
    json_put_text(j, "breaks", c->breaks);
    json_key(j, "diff");
    json_text(j, (struct text){c->diff.at ? c->diff.at : "", (uint32_t)c->diff.len});
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
    json_put_text(&j, "verdict", c ? fix_state_text(c->state) : "none");
    json_put_open(&j, "failures", '[');
    for (uint32_t i = 0; i < t->causes->failures.len; i++)
        json_text(&j, text_of(t->causes->failures.at[i].kind));
    json_close(&j, ']');
    json_put_u64(&j, "causes", t->causes->causes.len);
    json_put_u64(&j, "rounds", t->repair->rounds);
    json_key(&j, "best");
    if (c)
        add_candidate(&j, c);
    else
        json_text(&j, TEXT(""));
    json_put_open(&j, "candidates", '[');
    for (uint32_t i = 0; i < t->repair->candidates.len; i++)
        if (i != t->repair->best && (t->all || t->repair->candidates.at[i].round))
            add_candidate(&j, &t->repair->candidates.at[i]);
    json_close(&j, ']');
    json_put_texts(&j, "refused", t->repair->refusals.at, t->repair->refusals.len);
    json_close(&j, '}');
    str_char(out, '\n');
}
