/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-page: a repair as a finding with its patches, for the renderers that every report
 * has: SARIF with `fixes` for editors, and a page with the diff beside the schedule. */
#include "cmd/fix-finding.h"

#include "base/io.h"
#include "report/report.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- the finding ------------------------------------------------------------------------ */

/* The failure at hand, with the cause's steps as its schedule. */
static void tell_failure(struct finding *f, struct arena *mem, const struct fix_finding *t,
                         const struct fix_candidate *c)
{
    const struct cause *cause = c ? &t->causes->causes.at[c->cause] : NULL;
    uint32_t number = cause ? cause->failure : 0;
    bool is_known = number < t->causes->failures.len;
    const struct cause_failure *failure = is_known ? &t->causes->failures.at[number] : NULL;
    const char *kind = failure ? failure->kind : "failure";
    AUTO(str) struct str text = {0}, replay = {0};
    str_add(&text, "failure-%08x", (uint32_t)hash_bytes(kind, strlen(kind)));
    f->id = str_keep(mem, &text);
    text.len = 0;
    str_add(&text, "%s: %s", t->program, kind);
    f->message = str_keep(mem, &text);
    f->harm = failure ? harm_of(failure->outcome) : HARM_NONE;
    f->ends = failure ? failure->text : "";
    str_add(&replay, "heddle replay %s", failure ? failure->run : "");
    f->replay = failure ? str_keep(mem, &replay) : "";
    static const enum action actions[] = {
        [CAUSE_READ] = ACTION_READ, [CAUSE_WRITE] = ACTION_WRITE,   [CAUSE_LOCK] = ACTION_LOCK,
        [CAUSE_WANT] = ACTION_WANT, [CAUSE_SIGNAL] = ACTION_SIGNAL, [CAUSE_WAIT] = ACTION_WAIT};
    static const char *const names[] = {"one thread", "another thread", "a third thread"};
    for (uint32_t i = 0; i < 3; i++)
        vec_push(&f->threads, (struct finding_thread){.number = NONE,
                                                      .entry = "",
                                                      .name = names[i],
                                                      .created = {"", "", "", 0, 0}});
    for (uint32_t i = 0; cause && i < cause->step_count; i++) {
        const struct cause_step *s = &cause->steps[i];
        struct place place = {.file = s->site.file,
                              .function = s->site.function,
                              .variable = s->site.name,
                              .line = s->site.line,
                              .column = s->site.column};
        AUTO(str) struct str words = {0};
        name_words(&words, cause->variable_count
                               ? cause->variables[s->variable % cause->variable_count]
                               : s->site.name);
        vec_push(&f->sites, place);
        vec_push(&f->steps, (struct finding_step){.thread = s->thread < 3 ? s->thread : 2,
                                                  .place = place,
                                                  .action = actions[s->action],
                                                  .object = str_keep(mem, &words),
                                                  .value = "",
                                                  .event = NO_EVENT,
                                                  .is_key = true});
    }
}

/* Its lists are copies: the list that it goes into frees them. */
static void copy_finding(struct finding *f, const struct finding *from)
{
    *f = *from;
    memset(&f->threads, 0, sizeof f->threads);
    memset(&f->sites, 0, sizeof f->sites);
    memset(&f->steps, 0, sizeof f->steps);
    memset(&f->fixes, 0, sizeof f->fixes);
    for (uint32_t i = 0; i < from->threads.len; i++)
        vec_push(&f->threads, from->threads.at[i]);
    for (uint32_t i = 0; i < from->sites.len; i++)
        vec_push(&f->sites, from->sites.at[i]);
    for (uint32_t i = 0; i < from->steps.len; i++)
        vec_push(&f->steps, from->steps.at[i]);
}

/* ---- its patches ------------------------------------------------------------------------ */

static struct finding_pos spot_at(const struct bytes *file, uint32_t offset)
{
    struct finding_pos at = {1, 1};
    for (uint32_t i = 0; i < offset && i < file->len; i++) {
        bool is_within = (file->at[i] & 0xc0) == 0x80; /* a character of UTF-8 goes on */
        at.column += !is_within;
        if (file->at[i] == '\n')
            at = (struct finding_pos){at.line + 1, 1};
    }
    return at;
}

/* As the finding's places are told: from here, if it is here. */
static const char *short_path(const char *path)
{
    char here[PATH_MAX];
    size_t len = getcwd(here, sizeof here) ? strlen(here) : 0;
    return len > 1 && strncmp(path, here, len) == 0 && path[len] == '/' ? path + len + 1 : path;
}

/* Edits that touch each other are one: who applies them has no order to keep. */
static void tell_edits(struct finding_fix *out, struct arena *mem, const struct patch *p,
                       const char *file)
{
    AUTO(bytes) struct bytes bytes = {0};
    patch_edits edits = {0};
    struct err ignored;
    if (bytes_read(&bytes, file, &ignored) < 0)
        return;
    patch_edits_of(p, file, &edits);
    for (uint32_t i = 0; i < edits.len;) {
        AUTO(str) struct str text = {0};
        uint32_t start = edits.at[i]->offset, end = start;
        for (; i < edits.len && edits.at[i]->offset == end; i++) {
            str_add(&text, "%s", edits.at[i]->text);
            end += edits.at[i]->length;
        }
        vec_push(&out->edits, (struct finding_edit){.file = short_path(file),
                                                    .start = spot_at(&bytes, start),
                                                    .end = spot_at(&bytes, end),
                                                    .text = str_keep(mem, &text)});
    }
    vec_done(&edits);
}

static void tell_fix(struct finding *f, struct arena *mem, const struct fix_finding *t,
                     const struct fix_candidate *c)
{
    AUTO(str) struct str why = {0}, summary = {0};
    str_add(&why, "%s", c->why);
    for (uint32_t i = 0; i < c->patch.notes.len; i++)
        str_add(&why, " %s", c->patch.notes.at[i]);
    struct finding_fix one = {.recipe = c->recipe,
                              .state = fix_state_text(c->state),
                              .why = str_keep(mem, &why),
                              .diff =
                                  arena_text(mem, c->diff.at ? c->diff.at : "", c->diff.len)};
    if (is_too_large(t, c)) {
        fix_add_summary(&summary, c, "");
        one.diff = str_keep(mem, &summary);
    }
    for (uint32_t i = 0; i < c->log.len; i++)
        vec_push(&one.proof, c->log.at[i]);
    patch_files files = {0};
    patch_list(&c->patch, &files);
    for (uint32_t i = 0; i < files.len && !is_too_large(t, c); i++)
        tell_edits(&one, mem, &c->patch, files.at[i]);
    vec_done(&files);
    vec_push(&f->fixes, one);
}

/* The best patch first, then the others that are proven. */
static void tell(struct finding_list *l, const struct fix_finding *t)
{
    const struct fix_candidate *best = best_of(t);
    struct finding f = finding_new(PATTERN_FAILURE);
    f.is_confirmed = true;
    if (t->finding)
        copy_finding(&f, t->finding);
    else
        tell_failure(&f, &l->mem, t, best);
    if (best)
        tell_fix(&f, &l->mem, t, best);
    for (uint32_t i = 0; i < t->repair->candidates.len; i++) {
        const struct fix_candidate *c = &t->repair->candidates.at[i];
        if (c != best && c->state == FIX_PROVEN)
            tell_fix(&f, &l->mem, t, c);
    }
    vec_push(&l->findings, f);
}

/* ---- the renderers ---------------------------------------------------------------------- */

static void render_finding(const struct fix_finding *t, const struct renderer *r,
                           struct str *out)
{
    AUTO(finding_list) struct finding_list l = {
        .program = t->program,
        .outcome = t->causes->failures.len ? t->causes->failures.at[0].kind : "exit 0"};
    finding_list_stop(&l);
    tell(&l, t);
    r->render(&l, &(struct report_opts){.all = true}, out);
}

void fix_print_sarif(const struct fix_finding *t, struct str *out)
{
    render_finding(t, &render_sarif, out);
}

int fix_write_page(const struct fix_finding *t, const char *path, struct err *err)
{
    AUTO(str) struct str out = {0};
    render_finding(t, &render_html, &out);
    return file_write(path, out.at, out.len, err);
}
