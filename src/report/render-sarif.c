/* SPDX-License-Identifier: Apache-2.0
 *
 * render-sarif: SARIF 2.1.0 for code-scanning services and editors. A witness is two code
 * flows: one in the order in which its steps happen, and one with a flow per thread whose
 * steps are numbered by executionOrder. */
#include "base/json.h"
#include "report/report.h"

#include <string.h>

static void put_message(struct json *j, const char *key, const char *text)
{
    json_put_open(j, key, '{');
    json_put_text(j, "text", text);
    json_close(j, '}');
}

/* RFC 3986: what is not unreserved or a slash is escaped. */
static void add_uri(struct str *out, const char *path)
{
    if (path[0] == '/')
        str_add(out, "file://");
    for (const char *p = path; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= '0' && *p <= '9') || strchr("-._~/+", *p);
        if (plain)
            str_char(out, *p);
        else
            str_add(out, "%%%02X", (unsigned char)*p);
    }
}

static void put_file(struct json *j, const char *file)
{
    AUTO(str) struct str uri = {0};
    add_uri(&uri, *file ? file : "unknown");
    json_put_open(j, "artifactLocation", '{');
    json_put_text(j, "uri", uri.at);
    if (file[0] != '/')
        json_put_text(j, "uriBaseId", "SRCROOT");
    json_close(j, '}');
}

/* text: the line, or "" */
static void put_location(struct json *j, const struct place *p, const char *text,
                         const char *message)
{
    json_open(j, '{');
    json_put_open(j, "physicalLocation", '{');
    put_file(j, p->file);
    json_put_open(j, "region", '{');
    json_put_u64(j, "startLine", p->line ? p->line : 1);
    if (p->column) {
        json_put_u64(j, "startColumn", p->column);
    }
    if (text && *text)
        put_message(j, "snippet", text);
    json_close(j, '}');
    json_close(j, '}');
    if (*p->function) {
        json_put_open(j, "logicalLocations", '[');
        json_open(j, '{');
        json_put_text(j, "name", p->function);
        json_put_text(j, "kind", "function");
        json_close(j, '}');
        json_close(j, ']');
    }
    if (message)
        put_message(j, "message", message);
    json_close(j, '}');
}

static void add_step(struct str *out, const struct finding *f, const struct finding_step *s)
{
    str_add(out, "%s: %s %s", f->threads.at[s->thread].name, action_text(s->action), s->object);
    if (*s->value)
        str_add(out, " = %s", s->value);
}

static bool has_stack(const struct finding *f, const struct finding_step *s)
{
    return s->stack.len > 0 || *f->threads.at[s->thread].created.file;
}

/* Where it happened, then its callers, then where the thread was made. */
static void put_stack(struct json *j, const struct finding *f, const struct finding_step *s,
                      const char *message)
{
    const struct place *made = &f->threads.at[s->thread].created;
    json_open(j, '{');
    put_message(j, "message", message);
    json_put_open(j, "frames", '[');
    for (uint32_t i = 0; i <= s->stack.len + 1; i++) {
        const struct place *p = i == 0              ? &s->place
                                : i <= s->stack.len ? &s->stack.at[i - 1].place
                                                    : made;
        if (!*p->file)
            continue;
        json_open(j, '{');
        json_key(j, "location");
        put_location(j, p, "", p == made ? "the thread was made here" : p->function);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void put_flow_step(struct json *j, const struct finding *f, uint32_t i)
{
    const struct finding_step *s = &f->steps.at[i];
    AUTO(str) struct str text = {0};
    add_step(&text, f, s);
    json_open(j, '{');
    json_key(j, "location");
    put_location(j, finding_own_place(s), s->text, text.at);
    if (has_stack(f, s)) {
        json_key(j, "stack");
        put_stack(j, f, s, f->threads.at[s->thread].name);
    }
    json_put_u64(j, "executionOrder", i + 1);
    json_put_text(j, "importance", s->is_key ? "essential" : "important");
    json_close(j, '}');
}

/* The steps of one thread, or of all if thread is NONE. */
static void put_thread_flow(struct json *j, const struct finding *f, uint32_t thread)
{
    json_open(j, '{');
    if (thread != NONE) {
        json_put_text(j, "id", f->threads.at[thread].name);
        put_message(j, "message", f->threads.at[thread].name);
    }
    json_put_open(j, "locations", '[');
    for (uint32_t i = 0; i < f->steps.len; i++)
        if (thread == NONE || f->steps.at[i].thread == thread)
            put_flow_step(j, f, i);
    json_close(j, ']');
    json_close(j, '}');
}

static bool has_steps(const struct finding *f, uint32_t thread)
{
    for (uint32_t i = 0; i < f->steps.len; i++)
        if (f->steps.at[i].thread == thread)
            return true;
    return false;
}

static void put_flows(struct json *j, const struct finding *f)
{
    if (f->steps.len == 0)
        return;
    json_put_open(j, "codeFlows", '[');
    json_open(j, '{');
    put_message(j, "message", "the schedule, step by step");
    json_put_open(j, "threadFlows", '[');
    put_thread_flow(j, f, NONE);
    json_close(j, ']');
    json_close(j, '}');
    json_open(j, '{');
    put_message(j, "message", "the schedule, by thread");
    json_put_open(j, "threadFlows", '[');
    for (uint32_t t = 0; t < f->threads.len; t++)
        if (has_steps(f, t))
            put_thread_flow(j, f, t);
    json_close(j, ']');
    json_close(j, '}');
    json_close(j, ']');
}

static bool is_same_step(const struct finding_step *a, const struct finding_step *b)
{
    return a->is_key && b->is_key && a->thread == b->thread && a->action == b->action &&
           a->place.line == b->place.line && strcmp(a->place.file, b->place.file) == 0 &&
           strcmp(a->object, b->object) == 0 && strcmp(a->value, b->value) == 0;
}

/* Is it to have a stack of its own? Lists of stacks may not have one twice. */
static bool is_told_apart(const struct finding *f, uint32_t step)
{
    for (uint32_t i = 0; i < step; i++)
        if (is_same_step(&f->steps.at[i], &f->steps.at[step]))
            return false;
    return f->steps.at[step].is_key && has_stack(f, &f->steps.at[step]);
}

/* Those of the steps that the finding is about: what editors list beside it. */
static void put_stacks(struct json *j, const struct finding *f)
{
    bool has_any = false;
    for (uint32_t i = 0; i < f->steps.len; i++)
        has_any |= is_told_apart(f, i);
    if (!has_any)
        return;
    json_put_open(j, "stacks", '[');
    for (uint32_t i = 0; i < f->steps.len; i++) {
        AUTO(str) struct str text = {0};
        const struct finding_step *s = &f->steps.at[i];
        add_step(&text, f, s);
        if (is_told_apart(f, i))
            put_stack(j, f, s, text.at);
    }
    json_close(j, ']');
}

static const char *level(const struct finding *f)
{
    if (!f->is_confirmed)
        return "note";
    if (!finding_is_shown(f))
        return "note";
    return f->harm == HARM_NONE ? "warning" : "error";
}

/* Of a stale read: its order, what it read and what it did not see. */
static void put_weak(struct json *j, const struct finding_weak *w)
{
    json_open(j, '{');
    json_put_text(j, "memory_order", w->order);
    json_put_bool(j, "early", w->is_early);
    put_message(j, "message", w->text);
    json_put_open(j, "locations", '[');
    put_location(j, &w->place, "", NULL);
    if (w->from.line)
        put_location(j, &w->from, "", "the store that is read");
    if (w->instead.line)
        put_location(j, &w->instead, "", "the store that is not seen");
    json_close(j, ']');
    json_close(j, '}');
}

static void put_properties(struct json *j, const struct finding *f)
{
    json_put_open(j, "properties", '{');
    JSON_TEXTS(j, {"verdict", f->is_confirmed ? "confirmed" : "predicted"},
               {"harm", harm_text(f->harm)}, {"why", f->why},
               {"values", effect_text(f->values)}, {"replay", f->replay});
    if (f->label != WEAK_LABEL_NONE) {
        json_put_bool(j, "x86", f->label == WEAK_LABEL_X86);
        JSON_EACH(j, "weak", &f->weak, put_weak);
    }
    json_close(j, '}');
}

static void put_replacement(struct json *j, const struct finding_edit *e)
{
    json_open(j, '{');
    json_put_open(j, "deletedRegion", '{');
    JSON_U64S(j, {"startLine", e->start.line}, {"startColumn", e->start.column},
              {"endLine", e->end.line}, {"endColumn", e->end.column});
    json_close(j, '}');
    put_message(j, "insertedContent", e->text);
    json_close(j, '}');
}

/* Edits of one file follow each other. */
static void put_fix(struct json *j, const struct finding_fix *f)
{
    json_open(j, '{');
    put_message(j, "description", f->why);
    json_put_open(j, "artifactChanges", '[');
    for (uint32_t i = 0; i < f->edits.len;) {
        const char *file = f->edits.at[i].file;
        json_open(j, '{');
        put_file(j, file);
        json_put_open(j, "replacements", '[');
        for (; i < f->edits.len && strcmp(f->edits.at[i].file, file) == 0; i++)
            put_replacement(j, &f->edits.at[i]);
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Only what was proven: an editor applies it at the press of a key. */
static void put_fixes(struct json *j, const struct finding *f)
{
    bool has_any = false;
    for (uint32_t i = 0; i < f->fixes.len; i++)
        has_any |= strcmp(f->fixes.at[i].state, "proven") == 0;
    if (!has_any)
        return;
    json_put_open(j, "fixes", '[');
    for (uint32_t i = 0; i < f->fixes.len; i++)
        if (strcmp(f->fixes.at[i].state, "proven") == 0)
            put_fix(j, &f->fixes.at[i]);
    json_close(j, ']');
}

/* The line of a place that a step has; "" if none has. */
static const char *text_at(const struct finding *f, const struct place *p)
{
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const struct finding_step *s = &f->steps.at[i];
        const struct place *own = finding_own_place(s);
        if (s->text && own->line == p->line && strcmp(own->file, p->file) == 0)
            return s->text;
    }
    return "";
}

/* Related locations may not be there twice. */
static bool is_related_before(const struct finding *f, uint32_t site)
{
    const struct place *p = &f->sites.at[site];
    for (uint32_t i = 1; i < site; i++) {
        const struct place *q = &f->sites.at[i];
        if (p->line == q->line && p->column == q->column && strcmp(p->file, q->file) == 0 &&
            strcmp(p->function, q->function) == 0)
            return true;
    }
    return false;
}

static void put_result(struct json *j, const struct finding *f)
{
    json_open(j, '{');
    json_put_text(j, "ruleId", pattern_text(f->pattern));
    json_put_u64(j, "ruleIndex", f->pattern);
    json_put_text(j, "level", level(f));
    put_message(j, "message", f->message);
    json_put_open(j, "locations", '[');
    if (f->sites.len > 0)
        put_location(j, &f->sites.at[0], text_at(f, &f->sites.at[0]), NULL);
    json_close(j, ']');
    if (f->sites.len > 1) {
        json_put_open(j, "relatedLocations", '[');
        for (uint32_t i = 1; i < f->sites.len; i++)
            if (!is_related_before(f, i))
                put_location(j, &f->sites.at[i], text_at(f, &f->sites.at[i]),
                             "the other access");
        json_close(j, ']');
    }
    json_put_open(j, "partialFingerprints", '{');
    json_put_text(j, "heddle/v1", f->id);
    json_close(j, '}');
    put_flows(j, f);
    put_stacks(j, f);
    put_fixes(j, f);
    put_properties(j, f);
    json_close(j, '}');
}

static void put_rules(struct json *j)
{
    json_put_open(j, "rules", '[');
    for (const struct pattern_info *p = pattern_infos; p < pattern_infos + PATTERN_COUNT; p++) {
        json_open(j, '{');
        json_put_text(j, "id", p->word);
        put_message(j, "shortDescription", p->title);
        put_message(j, "fullDescription", p->meaning);
        put_message(j, "help", p->mending);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_tool(struct json *j)
{
    json_put_open(j, "tool", '{');
    json_put_open(j, "driver", '{');
    json_put_text(j, "name", "Heddle");
    json_put_text(j, "version", HEDDLE_VERSION);
    put_rules(j);
    json_close(j, '}');
    json_close(j, '}');
}

static void put_stopped(struct json *j, const struct finding_list *l)
{
    AUTO(str) struct str text = {0};
    stopped_say(&text, l);
    for (uint32_t i = 0; i < l->undone.len; i++) {
        str_add(&text, "; ");
        undone_say(&text, &l->undone.at[i]);
    }
    json_put_open(j, "invocations", '[');
    json_open(j, '{');
    json_put_bool(j, "executionSuccessful", false);
    json_put_open(j, "toolExecutionNotifications", '[');
    json_open(j, '{');
    json_put_text(j, "level", "error");
    put_message(j, "message", text.at);
    json_close(j, '}');
    json_close(j, ']');
    json_close(j, '}');
    json_close(j, ']');
}

static void render(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    json_put_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_put_text(&j, "version", "2.1.0");
    json_put_open(&j, "runs", '[');
    json_open(&j, '{');
    put_tool(&j);
    json_put_open(&j, "originalUriBaseIds", '{');
    json_put_open(&j, "SRCROOT", '{');
    put_message(&j, "description", "the directory in which heddle was started");
    json_close(&j, '}');
    json_close(&j, '}');
    if (l->stopped_early)
        put_stopped(&j, l);
    json_put_text(&j, "columnKind", "unicodeCodePoints");
    json_put_open(&j, "results", '[');
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (opts->all || finding_is_shown(&l->findings.at[i]))
            put_result(&j, &l->findings.at[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    json_close(&j, ']');
    json_close(&j, '}');
    str_char(out, '\n');
}

const struct renderer render_sarif = {.name = "sarif", .render = render};
