/* SPDX-License-Identifier: Apache-2.0
 *
 * finding-json: findings.json, out and in. Writing and reading name the same keys in the same
 * order; what a file lacks reads as empty, so that an older file can be shown. */
#include "base/json.h"
#include "finding/finding.h"

#include <jansson.h>
#include <string.h>

enum { FINDINGS_VERSION = 1 };

/* ---- out ------------------------------------------------------------------------------- */

static void put_text(struct json *j, const char *key, const char *value)
{
    json_key(j, key);
    json_text(j, text_of(value ? value : ""));
}

static void put_number(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_u64(j, value);
}

static void put_list(struct json *j, const char *key)
{
    json_key(j, key);
    json_open(j, '[');
}

static void put_place(struct json *j, const struct place *p)
{
    put_text(j, "file", p->file);
    put_number(j, "line", p->line);
    put_number(j, "column", p->column);
    put_text(j, "function", p->function);
    put_text(j, "variable", p->variable);
}

static void put_step(struct json *j, const struct finding_step *s)
{
    json_open(j, '{');
    put_number(j, "thread", s->thread);
    put_place(j, &s->place);
    put_text(j, "action", s->action);
    put_text(j, "object", s->object);
    put_text(j, "value", s->value);
    put_text(j, "held", s->held);
    json_key(j, "key");
    json_bool(j, s->is_key);
    json_close(j, '}');
}

static void put_thread(struct json *j, const struct finding_thread *t)
{
    json_open(j, '{');
    put_text(j, "name", t->name);
    put_place(j, &t->created);
    json_close(j, '}');
}

static void put_words(struct json *j, const struct finding *f)
{
    put_text(j, "id", f->id);
    put_text(j, "pattern", f->pattern);
    put_text(j, "verdict", f->is_confirmed ? "confirmed" : "predicted");
    put_text(j, "harm", f->harm);
    json_key(j, "shown");
    json_bool(j, finding_is_shown(f));
    put_text(j, "message", f->message);
    put_text(j, "why", f->why);
    put_text(j, "ends", f->ends);
    put_text(j, "passes", f->passes);
    put_text(j, "source", f->source);
    put_text(j, "doubt", f->doubt);
    put_text(j, "only", f->only);
    json_key(j, "note");
    json_bool(j, f->is_note);
    put_text(j, "values", f->values);
    put_text(j, "effect", f->effect);
    put_text(j, "witness", f->witness);
    put_text(j, "second", f->second);
    put_text(j, "replay", f->replay);
    put_text(j, "fix", f->fix);
    put_text(j, "with", f->with);
    put_number(j, "alike", f->alike);
}

static void put_fix(struct json *j, const struct finding_fix *f)
{
    json_open(j, '{');
    put_text(j, "recipe", f->recipe);
    put_text(j, "state", f->state);
    put_text(j, "why", f->why);
    put_text(j, "diff", f->diff);
    put_list(j, "proof");
    for (uint32_t i = 0; i < f->proof.len; i++)
        json_text(j, text_of(f->proof.at[i]));
    json_close(j, ']');
    json_close(j, '}');
}

static void put_fixes(struct json *j, const struct finding *f)
{
    if (f->fixes.len == 0)
        return;
    put_list(j, "fixes");
    for (uint32_t i = 0; i < f->fixes.len; i++)
        put_fix(j, &f->fixes.at[i]);
    json_close(j, ']');
}

static void put_finding(struct json *j, const struct finding *f)
{
    json_open(j, '{');
    put_words(j, f);
    put_list(j, "threads");
    for (uint32_t i = 0; i < f->threads.len; i++)
        put_thread(j, &f->threads.at[i]);
    json_close(j, ']');
    put_list(j, "sites");
    for (uint32_t i = 0; i < f->sites.len; i++) {
        json_open(j, '{');
        put_place(j, &f->sites.at[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
    put_list(j, "steps");
    for (uint32_t i = 0; i < f->steps.len; i++)
        put_step(j, &f->steps.at[i]);
    json_close(j, ']');
    put_fixes(j, f);
    json_close(j, '}');
}

static void put_account(struct json *j, const struct account *a)
{
    json_open(j, '{');
    put_text(j, "pattern", a->pattern);
    put_number(j, "candidates", a->candidates);
    put_number(j, "refuted", a->refuted);
    put_number(j, "found", a->found);
    put_number(j, "unknown", a->unknown);
    put_number(j, "confirmed", a->confirmed);
    put_number(j, "skipped", a->skipped);
    put_number(j, "by_locks", a->by.locks);
    put_number(j, "by_order", a->by.order);
    put_number(j, "by_sync", a->by.sync);
    put_number(j, "by_closure", a->by.closure);
    put_number(j, "by_values", a->by.values);
    json_close(j, '}');
}

void finding_list_print(const struct finding_list *l, struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    put_number(&j, "version", FINDINGS_VERSION);
    put_text(&j, "program", l->program);
    put_text(&j, "outcome", l->outcome);
    put_number(&j, "events", l->events);
    put_number(&j, "threads", l->threads);
    put_number(&j, "runs", l->runs);
    if (l->stopped_early) {
        json_key(&j, "stopped_early");
        json_bool(&j, true);
    }
    put_list(&j, "findings");
    for (uint32_t i = 0; i < l->findings.len; i++)
        put_finding(&j, &l->findings.at[i]);
    json_close(&j, ']');
    put_list(&j, "accounts");
    for (uint32_t i = 0; i < l->accounts.len; i++)
        put_account(&j, &l->accounts.at[i]);
    json_close(&j, ']');
    put_list(&j, "unseen");
    for (uint32_t i = 0; i < l->unseen.len; i++)
        json_text(&j, text_of(l->unseen.at[i]));
    json_close(&j, ']');
    put_list(&j, "idle");
    for (uint32_t i = 0; i < l->idle.len; i++)
        json_text(&j, text_of(l->idle.at[i]));
    json_close(&j, ']');
    json_close(&j, '}');
    str_char(out, '\n');
}

/* ---- in -------------------------------------------------------------------------------- */

/* A copy without what a terminal would obey. */
static const char *clean_text(struct arena *mem, const json_t *v)
{
    char *text = arena_text(mem, json_string_value(v), json_string_length(v));
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return text;
}

static const char *text_at(struct arena *mem, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_string(v) ? clean_text(mem, v) : "";
}

static uint64_t number_at(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_integer(v) && json_integer_value(v) > 0 ? (uint64_t)json_integer_value(v)
                                                           : 0;
}

static uint32_t small_at(const json_t *o, const char *key)
{
    uint64_t n = number_at(o, key);
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static struct place get_place(struct arena *mem, const json_t *o)
{
    return (struct place){.file = text_at(mem, o, "file"),
                          .function = text_at(mem, o, "function"),
                          .variable = text_at(mem, o, "variable"),
                          .line = small_at(o, "line"),
                          .column = small_at(o, "column")};
}

static struct finding_step get_step(struct arena *mem, const json_t *o)
{
    return (struct finding_step){.thread = small_at(o, "thread"),
                                 .place = get_place(mem, o),
                                 .action = text_at(mem, o, "action"),
                                 .object = text_at(mem, o, "object"),
                                 .value = text_at(mem, o, "value"),
                                 .held = text_at(mem, o, "held"),
                                 .is_key = json_is_true(json_object_get(o, "key"))};
}

static int get_parts(struct finding *f, struct arena *mem, const json_t *o, struct err *err)
{
    size_t i;
    json_t *v;
    json_array_foreach(json_object_get(o, "threads"), i, v) vec_push(
        &f->threads, (struct finding_thread){text_at(mem, v, "name"), get_place(mem, v)});
    json_array_foreach(json_object_get(o, "sites"), i, v)
        vec_push(&f->sites, get_place(mem, v));
    json_array_foreach(json_object_get(o, "steps"), i, v)
    {
        vec_push(&f->steps, get_step(mem, v));
        if (f->steps.at[i].thread >= f->threads.len)
            return err_set(err, "finding %s: step %zu is of no thread", f->id, i);
    }
    return 0;
}

static struct finding get_words(struct arena *mem, const json_t *o)
{
    const char *verdict = text_at(mem, o, "verdict");
    return (struct finding){.id = text_at(mem, o, "id"),
                            .pattern = text_at(mem, o, "pattern"),
                            .is_confirmed = strcmp(verdict, "confirmed") == 0,
                            .harm = text_at(mem, o, "harm"),
                            .message = text_at(mem, o, "message"),
                            .why = text_at(mem, o, "why"),
                            .ends = text_at(mem, o, "ends"),
                            .passes = text_at(mem, o, "passes"),
                            .source = text_at(mem, o, "source"),
                            .doubt = text_at(mem, o, "doubt"),
                            .only = text_at(mem, o, "only"),
                            .is_note = json_is_true(json_object_get(o, "note")),
                            .values = text_at(mem, o, "values"),
                            .effect = text_at(mem, o, "effect"),
                            .witness = text_at(mem, o, "witness"),
                            .second = text_at(mem, o, "second"),
                            .replay = text_at(mem, o, "replay"),
                            .fix = text_at(mem, o, "fix"),
                            .with = text_at(mem, o, "with"),
                            .alike = small_at(o, "alike")};
}

static int get_all(struct finding_list *l, const json_t *o, struct err *err)
{
    size_t i;
    json_t *v;
    if (number_at(o, "version") != FINDINGS_VERSION)
        return err_set(err, "not findings of this version; run heddle check again");
    l->program = text_at(&l->mem, o, "program");
    l->outcome = text_at(&l->mem, o, "outcome");
    l->events = number_at(o, "events");
    l->threads = number_at(o, "threads");
    l->runs = number_at(o, "runs");
    l->stopped_early = json_is_true(json_object_get(o, "stopped_early"));
    json_array_foreach(json_object_get(o, "findings"), i, v)
    {
        vec_push(&l->findings, get_words(&l->mem, v));
        if (get_parts(&l->findings.at[i], &l->mem, v, err) < 0)
            return -1;
    }
    json_array_foreach(json_object_get(o, "accounts"), i, v) vec_push(
        &l->accounts, (struct account){text_at(&l->mem, v, "pattern"),
                                       number_at(v, "candidates"),
                                       number_at(v, "refuted"),
                                       number_at(v, "found"),
                                       number_at(v, "unknown"),
                                       number_at(v, "confirmed"),
                                       number_at(v, "skipped"),
                                       {number_at(v, "by_locks"), number_at(v, "by_order"),
                                        number_at(v, "by_sync"), number_at(v, "by_closure"),
                                        number_at(v, "by_values")}});
    json_array_foreach(json_object_get(o, "unseen"), i, v) if (json_is_string(v))
        vec_push(&l->unseen, clean_text(&l->mem, v));
    json_array_foreach(json_object_get(o, "idle"), i, v) if (json_is_string(v))
        vec_push(&l->idle, clean_text(&l->mem, v));
    return 0;
}

int finding_list_read(struct finding_list *out, const char *path, struct err *err)
{
    json_error_t why;
    json_t *o = json_load_file(path, 0, &why);
    if (!o)
        return err_set(err, "%s: %s", path, why.text);
    struct finding_list l = {0};
    int result = get_all(&l, o, err);
    json_decref(o);
    if (result < 0) {
        finding_list_done(&l);
        return err_in(err, "%s", path);
    }
    *out = l;
    return 0;
}
