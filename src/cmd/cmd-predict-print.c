/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-predict-print: predicted bugs in words, and the same for programs. */
#include "cmd/cmd-predict.h"

#include "base/json.h"

static const char *const pattern_names[] = {"race", "deadlock", "atomicity"};

int predicted_order(const void *left, const void *right)
{
    const struct predicted *a = left, *b = right;
    if (a->query.kind != b->query.kind)
        return a->query.kind < b->query.kind ? -1 : 1;
    for (uint32_t i = 0; i < a->query.count && i < b->query.count; i++)
        if (a->query.number[i] != b->query.number[i])
            return a->query.number[i] < b->query.number[i] ? -1 : 1;
    return (a->query.count > b->query.count) - (a->query.count < b->query.count);
}

static void add_site(struct str *out, const struct model *m, ev_id e)
{
    site_name(out, &m->trace->sites.at[model_site(m, e)]);
}

static void add_thread(struct str *out, const struct model *m, ev_id e)
{
    const struct def_thread *d = &m->trace->threads.at[m->ev[e].thr];
    if (d->name.len > 0)
        str_bytes(out, d->name.at, d->name.len);
    else
        str_add(out, "T%u", m->ev[e].thr);
}

static const char *access_word(const struct model *m, ev_id e)
{
    if (m->ev[e].kind == EV_FREE)
        return "free";
    return model_writes(m, e) ? model_reads(m, e) ? "update" : "write" : "read";
}

/* The first cell that all of the events touch. */
static cell_id shared_cell(const struct model *m, const ev_id *e, uint32_t count)
{
    cell_id first = 0;
    for (uint32_t i = 0; i < count; i++)
        if (model_cells(m, e[i]).first > first)
            first = model_cells(m, e[i]).first;
    return first;
}

/* What the k-th event is about: its location, or the lock it asks for. */
static void add_object(struct str *out, const struct model *m, const struct predicted *x,
                       const ev_id *e, uint32_t k)
{
    if (x->query.kind == QUERY_DEADLOCK)
        sync_name(out, m, m->obj[e[k]]);
    else
        cell_name(out, m, shared_cell(m, e, x->query.count));
}

static void find_events(const struct model *m, const struct predicted *x, ev_id *out)
{
    for (uint32_t i = 0; i < x->query.count; i++) {
        out[i] = model_find(m, x->query.number[i]);
        CHECK(out[i] != NONE);
    }
}

/* ---- text ------------------------------------------------------------------------------ */

static void print_accesses(struct str *out, const struct model *m, const struct predicted *x,
                           const ev_id *e)
{
    str_add(out, x->pattern ? "atomicity violation on '" : "race on '");
    add_object(out, m, x, e, 0);
    str_add(out, "': ");
    for (uint32_t i = 0; i < x->query.count; i++) {
        str_add(out, "%s%s by ",
                i == 0       ? ""
                : x->pattern ? ", then "
                             : ", ",
                access_word(m, e[i]));
        add_thread(out, m, e[i]);
        if (i > 0) {
            str_add(out, " at ");
            add_site(out, m, e[i]);
        }
    }
    str_add(out, x->pattern ? " (%s, in one section of a lock)" : " (no common lock)",
            x->pattern);
}

static void print_requests(struct str *out, const struct model *m, const struct predicted *x,
                           const ev_id *e)
{
    str_add(out, "deadlock: ");
    for (uint32_t i = 0; i < x->query.count; i++) {
        str_add(out, i == 0 ? "" : ", ");
        add_thread(out, m, e[i]);
        str_add(out, " waits for '");
        add_object(out, m, x, e, i);
        str_char(out, '\'');
        if (i > 0) {
            str_add(out, " at ");
            add_site(out, m, e[i]);
        }
    }
}

void print_findings(const struct model *m, const predicted_list *found, struct str *out)
{
    ev_id e[QUERY_MAX];
    for (uint32_t i = 0; i < found->len; i++) {
        const struct predicted *x = &found->at[i];
        find_events(m, x, e);
        add_site(out, m, e[0]);
        str_add(out, ": predicted ");
        if (x->query.kind == QUERY_DEADLOCK)
            print_requests(out, m, x, e);
        else
            print_accesses(out, m, x, e);
        str_add(out, "\n    events");
        for (uint32_t k = 0; k < x->query.count; k++)
            str_add(out, " %llu", (unsigned long long)x->query.number[k]);
        str_char(out, '\n');
    }
    str_add(out, "%u predicted\n", found->len);
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void key_str(struct json *j, const char *key, struct str *text)
{
    json_key(j, key);
    json_text(j, (struct text){text->at ? text->at : "", (uint32_t)text->len});
    text->len = 0;
}

static void json_event(struct json *j, const struct model *m, const struct predicted *x,
                       const ev_id *e, uint32_t k)
{
    AUTO(str) struct str text = {0};
    json_open(j, '{');
    json_key(j, "event");
    json_u64(j, x->query.number[k]);
    add_thread(&text, m, e[k]);
    key_str(j, "thread", &text);
    bool request = x->query.kind == QUERY_DEADLOCK;
    json_key(j, "action");
    json_text(j, text_of(request ? "acquire" : access_word(m, e[k])));
    add_object(&text, m, x, e, k);
    key_str(j, "object", &text);
    add_site(&text, m, e[k]);
    key_str(j, "site", &text);
    json_close(j, '}');
}

void print_findings_json(const struct model *m, enum mode mode, const predicted_list *found,
                         struct str *out)
{
    struct json j = {.out = out};
    ev_id e[QUERY_MAX];
    json_open(&j, '{');
    json_key(&j, "mode");
    json_text(&j, text_of(mode_text(mode)));
    json_key(&j, "findings");
    json_open(&j, '[');
    for (uint32_t i = 0; i < found->len; i++) {
        const struct predicted *x = &found->at[i];
        find_events(m, x, e);
        json_open(&j, '{');
        json_key(&j, "pattern");
        json_text(&j, text_of(pattern_names[x->query.kind]));
        json_key(&j, "verdict");
        json_text(&j, TEXT("predicted"));
        json_key(&j, "events");
        json_open(&j, '[');
        for (uint32_t k = 0; k < x->query.count; k++)
            json_event(&j, m, x, e, k);
        json_close(&j, ']');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    str_char(out, '\n');
}
