/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate: a patch in the making, and the words that explain it. */
#include "fix/recipe.h"

#include <string.h>

struct fix_candidate *candidate_new(struct fix_repair *out, const char *recipe, uint32_t cause)
{
    CHECK(recipe && *recipe);
    vec_push(&out->candidates, (struct fix_candidate){.recipe = recipe,
                                                      .cause = cause,
                                                      .why = "",
                                                      .trade = "",
                                                      .breaks = "",
                                                      .decided = "",
                                                      .ends_in = "",
                                                      .program = ""});
    return &out->candidates.at[out->candidates.len - 1];
}

void candidate_check(const struct fix_candidate *c)
{
    bool is_proven = c->state == FIX_PROVEN;
    CHECK(c->recipe && c->why && c->trade && c->breaks && c->ends_in && c->program);
    CHECK(c->round > 0 && c->state != FIX_UNTRIED && c->log.len > 0);
    CHECK(c->lines > 0 && c->diff.len > 0 && c->patch.edits.len > 0);
    CHECK((c->state == FIX_REFUSED) == !*c->program);
    CHECK(!is_proven || (!*c->breaks && !c->is_worse && !c->is_helping));
    CHECK(!c->is_surplus || is_proven);
    for (uint32_t i = 0; i < c->log.len; i++)
        CHECK(c->log.at[i] && *c->log.at[i]);
}

void candidate_free(struct fix_candidate *c)
{
    patch_done(&c->patch);
    str_done(&c->diff);
    vec_done(&c->log);
    vec_done(&c->also);
    if (c->section)
        vec_done(&c->section->ranges);
}

void candidate_drop(struct fix_repair *out, struct codebase *code, const struct err *err)
{
    CHECK(out->candidates.len > 0);
    struct fix_candidate *c = &out->candidates.at[--out->candidates.len];
    CHECK(c->state == FIX_UNTRIED);
    const char *text = keep_text(code, "%s: %s", c->recipe, err->text);
    candidate_free(c);
    for (uint32_t i = 0; i < out->refusals.len; i++)
        if (strcmp(out->refusals.at[i], text) == 0)
            return;
    vec_push(&out->refusals, arena_text(&out->mem, text, strlen(text)));
}

void fix_repair_done(struct fix_repair *r)
{
    for (uint32_t i = 0; i < r->candidates.len; i++)
        candidate_free(&r->candidates.at[i]);
    vec_done(&r->candidates);
    vec_done(&r->refusals);
    fix_account_done(&r->account);
    arena_done(&r->mem);
}

const char *fix_state_text(enum fix_state s)
{
    static const char *const texts[] = {"not tried", "refused", "partial", "proven"};
    return texts[s];
}

/* "read of x at a.c:3 by one thread, ..." */
void cause_describe(struct str *out, const struct cause *c)
{
    for (uint32_t i = 0; i < c->step_count; i++) {
        const struct cause_step *s = &c->steps[i];
        const char *variable =
            c->variable_count ? c->variables[s->variable % c->variable_count] : s->site.name;
        str_add(out, "%s%s", i ? ", then " : "", cause_action_text(s->action));
        if (strncmp(variable, "_Z", 2) != 0) { /* else a library's function */
            str_add(out, " of ");
            name_words(out, variable);
        }
        str_add(out, " at %s:%u by %s", base_name(s->site.file), s->site.line,
                s->thread == 0   ? "one thread"
                : s->thread == 1 ? "another"
                                 : "a third");
    }
}

/* Which lock it is, and why that one. */
static void explain_lock(struct str *out, struct codebase *code, const struct cause *cause,
                         const struct lock_choice *l)
{
    AUTO(str) struct str variable = {0}, lock = {0}, other = {0};
    const char *each = l->record.node ? " in each object" : "";
    bool is_before_another = l->before && !is_only_gate(code, cause, l);
    const struct guard *guard = is_before_another ? l->before->guard : l->guard;
    name_words(&variable, guard ? guard->variable : l->variable);
    name_lock_words(&lock, l->name);
    if (l->guard) {
        str_add(out, ". %s is guarded by %s at %u of %u sites", variable.at, lock.at,
                l->guard->guarded_sites, l->guard->sites);
    } else if (l->is_there) {
        str_add(out, ". %s has a lock in its object, %s", variable.at, lock.at);
    } else if (is_before_another) {
        name_lock_words(&other, l->before->name);
        str_add(out,
                ". %s is guarded by %s, which may be wanted by who is called meanwhile; "
                "there is a new lock%s, %s",
                variable.at, other.at, each, lock.at);
    } else if (is_only_gate(code, cause, l)) {
        name_lock_words(&other, codebase_guard(code, cause->variables[0])->lock);
        str_add(out, ". %s is guarded by %s, but not for as long; there is a new lock%s, %s",
                variable.at, other.at, each, lock.at);
    } else {
        str_add(out, ". No lock guards %s, so there is a new one%s, %s", variable.at, each,
                lock.at);
    }
}

bool candidate_shows_in_locks(const struct fix_candidate *c, const struct causes *causes)
{
    return c->shows_in_locks || causes->causes.at[c->cause].kind == CAUSE_DEADLOCK;
}

void candidate_explain(struct fix_candidate *c, struct codebase *code,
                       const struct lock_choice *l, const char *what)
{
    AUTO(str) struct str text = {0};
    CHECK(c->cause < code->causes->causes.len && what && *what);
    const struct cause *cause = &code->causes->causes.at[c->cause];
    bool fails = cause->failure < code->causes->failures.len;
    str_add(&text, fails ? "The failure comes with " : "The finding: ");
    cause_describe(&text, cause);
    if (cause_is_necessary(cause) && cause_is_sufficient(cause))
        str_add(&text, "; without it the failing runs pass, with it passing ones fail");
    if (l)
        explain_lock(&text, code, cause, l);
    str_add(&text, "; %s.", what);
    bool is_new = l && !l->guard && !l->is_there;
    c->locks = is_new;
    c->why = arena_text(&c->patch.mem, text.at, text.len);
    c->trade = l ? !is_new ? "an existing lock is held longer or more often"
                           : "one lock more, that nobody else takes"
                 : "no lock; other accesses of it stay as fast as they were";
}
