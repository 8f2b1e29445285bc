/* SPDX-License-Identifier: Apache-2.0
 *
 * finding-json: findings.json, out and in. Writing and reading name the same keys in the same
 * order; what a file lacks reads as empty, so that an older file can be shown. */
#include "base/json.h"
#include "finding/finding.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_VERSION = 1 };

/* ---- out ------------------------------------------------------------------------------- */

static void put_place(struct json *j, const struct place *p)
{
    json_put_text(j, "file", p->file);
    json_put_u64(j, "line", p->line);
    json_put_u64(j, "column", p->column);
    json_put_text(j, "function", p->function);
    json_put_text(j, "variable", p->variable);
}

static void put_held(struct json *j, const struct finding_locks *held)
{
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; i < held->len; i++)
        str_add(&text, "%s%s", i ? ", " : "", held->at[i]);
    json_put_text(j, "held", text.at);
}

static void put_frame(struct json *j, const struct finding_frame *f)
{
    json_open(j, '{');
    put_place(j, &f->place);
    if (*f->lines)
        json_put_text(j, "lines", f->lines);
    json_close(j, '}');
}

static void put_stack(struct json *j, const struct finding_step *s)
{
    if (s->text && *s->text)
        json_put_text(j, "text", s->text);
    if (s->stack.len == 0)
        return;
    JSON_EACH(j, "stack", &s->stack, put_frame);
    if (s->own > 0)
        json_put_u64(j, "own", s->own);
}

static void put_step(struct json *j, const struct finding_step *s)
{
    json_open(j, '{');
    json_put_u64(j, "thread", s->thread);
    put_place(j, &s->place);
    JSON_TEXTS(j, {"action", action_text(s->action)}, {"object", s->object},
               {"value", s->value});
    put_held(j, &s->held);
    json_put_bool(j, "key", s->is_key);
    if (s->event != NO_EVENT)
        json_put_u64(j, "event", s->event);
    put_stack(j, s);
    json_close(j, '}');
}

static void put_thread(struct json *j, const struct finding_thread *t)
{
    json_open(j, '{');
    json_put_text(j, "name", t->name);
    json_put_text(j, "entry", t->entry);
    put_place(j, &t->created);
    json_close(j, '}');
}

static void put_words(struct json *j, const struct finding *f)
{
    JSON_TEXTS(j, {"id", f->id}, {"pattern", pattern_text(f->pattern)},
               {"verdict", f->is_confirmed ? "confirmed" : "predicted"},
               {"harm", harm_text(f->harm)});
    json_put_bool(j, "shown", finding_is_shown(f));
    JSON_TEXTS(j, {"message", f->message}, {"why", f->why}, {"ends", f->ends},
               {"passes", f->passes}, {"source", f->source}, {"doubt", f->doubt},
               {"only", f->only});
    json_put_bool(j, "note", f->is_note);
    if (f->is_volatile)
        json_put_bool(j, "volatile", true);
    JSON_TEXTS(j, {"values", effect_text(f->values)}, {"effect", f->effect},
               {"witness", f->witness}, {"second", f->second}, {"replay", f->replay},
               {"fix", f->fix}, {"about", f->about}, {"cause", f->cause});
    json_put_texts(j, "said", f->said.at, f->said.len);
    json_put_text(j, "with", f->with);
    if (f->seen && *f->seen)
        json_put_text(j, "seen", f->seen);
    json_put_u64(j, "alike", f->alike);
}

static void put_fix(struct json *j, const struct finding_fix *f)
{
    json_open(j, '{');
    JSON_TEXTS(j, {"recipe", f->recipe}, {"state", f->state}, {"why", f->why},
               {"diff", f->diff});
    json_put_texts(j, "proof", f->proof.at, f->proof.len);
    json_close(j, '}');
}

static void put_weak_place(struct json *j, const char *key, const struct place *p)
{
    json_put_open(j, key, '{');
    put_place(j, p);
    json_close(j, '}');
}

static void put_weak(struct json *j, const struct finding_weak *w)
{
    json_open(j, '{');
    json_put_u64(j, "thread", w->thread);
    put_place(j, &w->place);
    json_put_text(j, "memory_order", w->order);
    json_put_bool(j, "early", w->is_early);
    json_put_u64(j, "event", w->event);
    JSON_TEXTS(j, {"text", w->text}, {"allowed", w->allowed}, {"forbid", w->forbid});
    put_weak_place(j, "reads_from", &w->from);
    put_weak_place(j, "instead_of", &w->instead);
    json_close(j, '}');
}

static void put_site(struct json *j, const struct place *p)
{
    json_open(j, '{');
    put_place(j, p);
    json_close(j, '}');
}

static void put_finding(struct json *j, const struct finding *f)
{
    json_open(j, '{');
    put_words(j, f);
    JSON_EACH(j, "threads", &f->threads, put_thread);
    JSON_EACH(j, "sites", &f->sites, put_site);
    JSON_EACH(j, "steps", &f->steps, put_step);
    if (f->label != WEAK_LABEL_NONE) {
        json_put_bool(j, "x86", f->label == WEAK_LABEL_X86);
        JSON_EACH(j, "weak", &f->weak, put_weak);
    }
    if (f->fixes.len > 0)
        JSON_EACH(j, "fixes", &f->fixes, put_fix);
    json_close(j, '}');
}

static void put_account(struct json *j, const struct account *a)
{
    json_open(j, '{');
    json_put_text(j, "pattern", pattern_text(a->pattern));
    JSON_U64S(j, {"candidates", a->candidates}, {"refuted", a->refuted}, {"found", a->found},
              {"unknown", a->unknown}, {"confirmed", a->confirmed}, {"skipped", a->skipped},
              {"by_locks", a->by.locks}, {"by_order", a->by.order}, {"by_sync", a->by.sync},
              {"by_closure", a->by.closure}, {"by_values", a->by.values});
    json_close(j, '}');
}

static const char *const stopped_words[] = {"", "signal", "time", "memory"};

static void put_undone(struct json *j, const struct undone *u)
{
    json_open(j, '{');
    JSON_TEXTS(j, {"stage", u->stage}, {"what", u->what});
    JSON_U64S(j, {"left", u->left}, {"total", u->total});
    json_put_text(j, "next", u->next);
    json_close(j, '}');
}

static void put_stopped(struct json *j, const struct finding_list *l)
{
    json_put_bool(j, "stopped_early", true);
    json_put_text(j, "stopped_by", stopped_words[l->stopped_early]);
    if (l->budget_ms > 0)
        json_put_u64(j, "budget_ms", l->budget_ms);
    if (l->memory_mb > 0)
        json_put_u64(j, "memory_mb", l->memory_mb);
    JSON_EACH(j, "not_done", &l->undone, put_undone);
}

static void put_test(struct json *j, const struct finding_test *t)
{
    json_open(j, '{');
    json_put_text(j, "name", t->name);
    json_put_texts(j, "findings", t->ids.at, t->ids.len);
    json_put_text(j, "trouble", t->trouble);
    json_close(j, '}');
}

void finding_list_print(const struct finding_list *l, struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    json_put_u64(&j, "version", FINDINGS_VERSION);
    json_put_text(&j, "program", l->program);
    json_put_text(&j, "outcome", l->outcome);
    JSON_U64S(&j, {"events", l->events}, {"threads", l->threads}, {"runs", l->runs});
    if (l->stopped_early)
        put_stopped(&j, l);
    JSON_EACH(&j, "findings", &l->findings, put_finding);
    JSON_EACH(&j, "accounts", &l->accounts, put_account);
    if (l->tests.len > 0)
        JSON_EACH(&j, "tests", &l->tests, put_test);
    json_put_texts(&j, "unseen", l->unseen.at, l->unseen.len);
    json_put_texts(&j, "idle", l->idle.at, l->idle.len);
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

/* "T1 worker", or another name. */
static struct finding_thread get_thread(struct arena *mem, const json_t *o)
{
    const char *name = text_at(mem, o, "name");
    char *end = NULL;
    unsigned long number = *name == 'T' ? strtoul(name + 1, &end, 10) : 0;
    bool is_one = end && end > name + 1 && (*end == ' ' || !*end) && number < NONE;
    return (struct finding_thread){.number = is_one ? (uint32_t)number : NONE,
                                   .entry = !is_one ? name
                                            : *end  ? end + 1
                                                    : end,
                                   .name = name,
                                   .created = get_place(mem, o)};
}

/* "m, n" */
static struct finding_locks get_held(struct arena *mem, const json_t *o)
{
    const char *text = text_at(mem, o, "held");
    struct finding_locks held = {0};
    const char **names = ARENA_NEW(mem, const char *, strlen(text) / 2 + 1);
    while (*text) {
        const char *comma = strstr(text, ", ");
        size_t len = comma ? (size_t)(comma - text) : strlen(text);
        names[held.len++] = arena_text(mem, text, len);
        text += len + (comma ? 2 : 0);
    }
    held.at = names;
    return held;
}

static struct finding_stack get_stack(struct arena *mem, const json_t *o)
{
    const json_t *list = json_object_get(o, "stack");
    struct finding_frame *all = ARENA_NEW(mem, struct finding_frame, json_array_size(list) + 1);
    struct finding_stack stack = {all, 0};
    size_t i;
    json_t *v;
    json_array_foreach(list, i, v) all[stack.len++] =
        (struct finding_frame){get_place(mem, v), text_at(mem, v, "lines")};
    return stack;
}

static struct finding_step get_step(struct arena *mem, const json_t *o)
{
    struct finding_stack stack = get_stack(mem, o);
    uint32_t own = small_at(o, "own");
    bool has_event = json_is_integer(json_object_get(o, "event"));
    return (struct finding_step){.thread = small_at(o, "thread"),
                                 .place = get_place(mem, o),
                                 .action = action_find(text_at(mem, o, "action")),
                                 .object = text_at(mem, o, "object"),
                                 .value = text_at(mem, o, "value"),
                                 .held = get_held(mem, o),
                                 .event = has_event ? number_at(o, "event") : NO_EVENT,
                                 .is_key = json_is_true(json_object_get(o, "key")),
                                 .stack = stack,
                                 .text = text_at(mem, o, "text"),
                                 .own = own <= stack.len ? own : 0};
}

static struct finding_weak get_weak(struct arena *mem, const json_t *o)
{
    return (struct finding_weak){.thread = small_at(o, "thread"),
                                 .place = get_place(mem, o),
                                 .order = text_at(mem, o, "memory_order"),
                                 .is_early = json_is_true(json_object_get(o, "early")),
                                 .event = number_at(o, "event"),
                                 .text = text_at(mem, o, "text"),
                                 .allowed = text_at(mem, o, "allowed"),
                                 .forbid = text_at(mem, o, "forbid"),
                                 .from = get_place(mem, json_object_get(o, "reads_from")),
                                 .instead = get_place(mem, json_object_get(o, "instead_of"))};
}

static void get_weak_rows(struct finding *f, struct arena *mem, const json_t *o)
{
    const json_t *x86 = json_object_get(o, "x86");
    size_t i;
    json_t *v;
    f->label = !x86                ? WEAK_LABEL_NONE
               : json_is_true(x86) ? WEAK_LABEL_X86
                                   : WEAK_LABEL_ELSEWHERE;
    json_array_foreach(json_object_get(o, "weak"), i, v) vec_push(&f->weak, get_weak(mem, v));
}

static int get_parts(struct finding *f, struct arena *mem, const json_t *o, struct err *err)
{
    size_t i;
    json_t *v;
    get_weak_rows(f, mem, o);
    json_array_foreach(json_object_get(o, "threads"), i, v)
        vec_push(&f->threads, get_thread(mem, v));
    json_array_foreach(json_object_get(o, "sites"), i, v)
        vec_push(&f->sites, get_place(mem, v));
    json_array_foreach(json_object_get(o, "steps"), i, v)
    {
        vec_push(&f->steps, get_step(mem, v));
        if (f->steps.at[i].thread >= f->threads.len)
            return err_set(err, "finding %s: step %zu is of no thread", f->id, i);
        if (f->steps.at[i].action == ACTION_COUNT)
            return err_set(err, "finding %s: step %zu does nothing known", f->id, i);
    }
    return 0;
}

/* "heddle replay RUN"; a witness is no run. */
static const char *run_of(const char *replay)
{
    static const char command[] = "heddle replay ", witness[] = ".witness";
    size_t len = strlen(replay), tail = sizeof witness - 1;
    bool is_run = strncmp(replay, command, sizeof command - 1) == 0 &&
                  !(len > tail && strcmp(replay + len - tail, witness) == 0);
    return is_run ? replay + sizeof command - 1 : "";
}

static struct finding_lines get_lines(struct arena *mem, const json_t *list)
{
    const char **all = ARENA_NEW(mem, const char *, json_array_size(list) + 1);
    struct finding_lines lines = {all, 0};
    size_t i;
    json_t *v;
    json_array_foreach(list, i, v) if (json_is_string(v)) all[lines.len++] = clean_text(mem, v);
    return lines;
}

static struct finding get_words(struct arena *mem, const json_t *o)
{
    const char *verdict = text_at(mem, o, "verdict"), *harm = text_at(mem, o, "harm");
    return (struct finding){.id = text_at(mem, o, "id"),
                            .pattern = pattern_find(text_at(mem, o, "pattern")),
                            .is_confirmed = strcmp(verdict, "confirmed") == 0,
                            .harm = *harm ? harm_find(harm) : HARM_NONE,
                            .message = text_at(mem, o, "message"),
                            .why = text_at(mem, o, "why"),
                            .ends = text_at(mem, o, "ends"),
                            .passes = text_at(mem, o, "passes"),
                            .source = text_at(mem, o, "source"),
                            .doubt = text_at(mem, o, "doubt"),
                            .only = text_at(mem, o, "only"),
                            .is_note = json_is_true(json_object_get(o, "note")),
                            .is_volatile = json_is_true(json_object_get(o, "volatile")),
                            .values = effect_find(text_at(mem, o, "values")),
                            .effect = text_at(mem, o, "effect"),
                            .witness = text_at(mem, o, "witness"),
                            .second = text_at(mem, o, "second"),
                            .run = run_of(text_at(mem, o, "replay")),
                            .replay = text_at(mem, o, "replay"),
                            .fix = text_at(mem, o, "fix"),
                            .about = text_at(mem, o, "about"),
                            .cause = text_at(mem, o, "cause"),
                            .said = get_lines(mem, json_object_get(o, "said")),
                            .with = text_at(mem, o, "with"),
                            .seen = text_at(mem, o, "seen"),
                            .alike = small_at(o, "alike")};
}

static int get_finding(struct finding *f, struct arena *mem, const json_t *o, struct err *err)
{
    if (f->pattern == PATTERN_COUNT)
        return err_set(err, "finding %s: there is no pattern '%s'", f->id,
                       text_at(mem, o, "pattern"));
    if (f->harm == HARM_COUNT)
        return err_set(err, "finding %s: there is no harm '%s'", f->id,
                       text_at(mem, o, "harm"));
    if (f->values == EFFECT_COUNT)
        return err_set(err, "finding %s: its values are '%s'", f->id,
                       text_at(mem, o, "values"));
    return get_parts(f, mem, o, err);
}

static struct account get_account(struct arena *mem, const json_t *o)
{
    return (struct account){.pattern = pattern_find(text_at(mem, o, "pattern")),
                            .candidates = number_at(o, "candidates"),
                            .refuted = number_at(o, "refuted"),
                            .found = number_at(o, "found"),
                            .unknown = number_at(o, "unknown"),
                            .confirmed = number_at(o, "confirmed"),
                            .skipped = number_at(o, "skipped"),
                            .by = {.locks = number_at(o, "by_locks"),
                                   .order = number_at(o, "by_order"),
                                   .sync = number_at(o, "by_sync"),
                                   .closure = number_at(o, "by_closure"),
                                   .values = number_at(o, "by_values")}};
}

static void get_stopped(struct finding_list *l, const json_t *o)
{
    size_t i;
    json_t *v;
    if (!json_is_true(json_object_get(o, "stopped_early")))
        return;
    l->stopped_early = STOPPED_BY_SIGNAL;
    for (i = STOPPED_BY_TIME; i <= STOPPED_BY_MEMORY; i++)
        if (strcmp(text_at(&l->mem, o, "stopped_by"), stopped_words[i]) == 0)
            l->stopped_early = (enum stopped_by)i;
    l->budget_ms = number_at(o, "budget_ms");
    l->memory_mb = number_at(o, "memory_mb");
    json_array_foreach(json_object_get(o, "not_done"), i, v)
        vec_push(&l->undone, ((struct undone){.stage = text_at(&l->mem, v, "stage"),
                                              .what = text_at(&l->mem, v, "what"),
                                              .left = number_at(v, "left"),
                                              .total = number_at(v, "total"),
                                              .next = text_at(&l->mem, v, "next")}));
}

static void get_tests(struct finding_list *l, const json_t *o)
{
    size_t i, k;
    json_t *v, *id;
    json_array_foreach(json_object_get(o, "tests"), i, v)
    {
        struct finding_test t = {.name = text_at(&l->mem, v, "name"),
                                 .trouble = text_at(&l->mem, v, "trouble")};
        json_array_foreach(json_object_get(v, "findings"), k, id) if (json_is_string(id))
            vec_push(&t.ids, clean_text(&l->mem, id));
        vec_push(&l->tests, t);
    }
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
    get_stopped(l, o);
    get_tests(l, o);
    json_array_foreach(json_object_get(o, "findings"), i, v)
    {
        vec_push(&l->findings, get_words(&l->mem, v));
        if (get_finding(&l->findings.at[i], &l->mem, v, err) < 0)
            return -1;
    }
    json_array_foreach(json_object_get(o, "accounts"), i, v)
    {
        vec_push(&l->accounts, get_account(&l->mem, v));
        if (l->accounts.at[i].pattern == PATTERN_COUNT)
            return err_set(err, "account %zu is of no pattern", i);
    }
    json_array_foreach(json_object_get(o, "unseen"), i, v) if (json_is_string(v))
        vec_push(&l->unseen, clean_text(&l->mem, v));
    json_array_foreach(json_object_get(o, "idle"), i, v) if (json_is_string(v))
        vec_push(&l->idle, clean_text(&l->mem, v));
    return 0;
}

/* Takes o. */
static int get_list(struct finding_list *out, json_t *o, struct err *err)
{
    struct finding_list l = {0};
    int result = get_all(&l, o, err);
    json_decref(o);
    if (result < 0) {
        finding_list_done(&l);
        return -1;
    }
    *out = l;
    return 0;
}

int finding_list_read(struct finding_list *out, const char *path, struct err *err)
{
    json_error_t why;
    json_t *o = json_load_file(path, 0, &why);
    if (!o)
        return err_set(err, "%s: %s", path, why.text);
    return get_list(out, o, err) < 0 ? err_in(err, "%s", path) : 0;
}

int finding_list_parse(struct finding_list *out, struct text json, struct err *err)
{
    json_error_t why;
    json_t *o = json_loadb(json.at, json.len, 0, &why);
    return o ? get_list(out, o, err) : err_set(err, "%s", why.text);
}
