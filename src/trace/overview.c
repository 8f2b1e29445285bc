/* SPDX-License-Identifier: Apache-2.0
 *
 * overview: a whole run as a page: who ran when, who held what, who waited for it. The events
 * stand in the page as columns of numbers, with tables of the texts that they refer to; all
 * else is made of them where they are looked at. Nothing is loaded from elsewhere. */
#include "trace/overview.h"
#include "trace/trace.h"

#include "base/html.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

/* One row of the page for each event that the filter keeps. */
struct row {
    uint64_t number;
    uint32_t thr, site, object; /* of the tables; object NONE: none */
    uint32_t peer;              /* thread that it is about, or NONE */
    uint8_t kind;
    bool is_shared, is_failed;
};

struct overview {
    struct trace *t;                   /* borrowed */
    const struct trace_filter *filter; /* borrowed */
    struct trace_cursor *cursor;       /* owned */
    struct space *space;               /* owned */
    VEC(struct row) rows;
    struct arena mem;
    struct map names, by_site; /* hash of a name, a site -> index of ... */
    VEC(const char *) objects; /* ... those */
    VEC(uint32_t) sites;       /* ... and those, by their number in the trace */
    struct str name;
};

static void overview_done(struct overview *o)
{
    free(o->cursor);
    space_free(o->space);
    vec_done(&o->rows);
    arena_done(&o->mem);
    map_done(&o->names);
    map_done(&o->by_site);
    vec_done(&o->objects);
    vec_done(&o->sites);
    str_done(&o->name);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* What the source calls it where it is met first says more than "stack#7". */
static void name_object(struct overview *o, const struct ev *e)
{
    const struct def_text *said = &o->t->sites.at[e->site].name;
    obj_id id = space_find(o->space, e->addr);
    bool has_name = id != NONE && space_object(o->space, id)->is_static;
    o->name.len = 0;
    if (!has_name && said->len > 0) {
        str_bytes(&o->name, said->at, said->len);
        str_add(&o->name, " (");
    }
    addr_name_long(&o->name, o->t, o->space, e->addr);
    if (!has_name && said->len > 0)
        str_char(&o->name, ')');
}

static uint32_t object_of(struct overview *o, const struct ev *e)
{
    AUTO(str) struct str plain = {0};
    addr_name_long(&plain, o->t, o->space, e->addr);
    uint32_t *at = map_at(&o->names, hash_bytes(plain.at, plain.len));
    if (*at == NONE) {
        *at = o->objects.len;
        name_object(o, e);
        vec_push(&o->objects, arena_text(&o->mem, o->name.at, o->name.len));
    }
    return *at;
}

static uint32_t site_of(struct overview *o, uint32_t site)
{
    uint32_t *at = map_at(&o->by_site, site);
    if (*at == NONE) {
        *at = o->sites.len;
        vec_push(&o->sites, site);
    }
    return *at;
}

static void take_row(struct overview *o, const struct ev *e)
{
    const char *fields = ev_fields(e->kind);
    uint64_t number = o->cursor->number - 1;
    if (!filter_keeps(o->filter, o->space, number, e))
        return;
    vec_push(&o->rows,
             (struct row){.number = number,
                          .thr = e->thr,
                          .site = site_of(o, e->site),
                          .object = strchr(fields, 'A') ? object_of(o, e) : NONE,
                          .peer = fields[0] == 'T' ? e->peer : NONE,
                          .kind = e->kind,
                          .is_shared = strchr(fields, 'F') && e->flags & FLAG(SHARED),
                          .is_failed = strchr(fields, 'F') && e->flags & FLAG(FAILED)});
}

/* ---- columns ----------------------------------------------------------------------------- */

static uint64_t thread_in(const struct row *r)
{
    return r->thr;
}
static uint64_t kind_in(const struct row *r)
{
    return r->kind;
}
static uint64_t site_in(const struct row *r)
{
    return r->site;
}
static uint64_t object_in(const struct row *r)
{
    return r->object == NONE ? 0 : r->object + 1;
}
static uint64_t peer_in(const struct row *r)
{
    return r->peer == NONE ? 0 : r->peer + 1;
}
static uint64_t flags_in(const struct row *r)
{
    return r->is_shared + 2u * r->is_failed;
}

static void put_column(struct json *j, const struct overview *o, const char *key,
                       uint64_t (*in)(const struct row *))
{
    json_put_open(j, key, '[');
    for (uint32_t i = 0; i < o->rows.len; i++)
        json_u64(j, in(&o->rows.at[i]));
    json_close(j, ']');
}

/* Numbers grow by one mostly: what each adds to the one before is short. */
static void put_numbers(struct json *j, const struct overview *o)
{
    uint64_t last = 0;
    json_put_open(j, "number", '[');
    for (uint32_t i = 0; i < o->rows.len; i++) {
        json_u64(j, o->rows.at[i].number - last);
        last = o->rows.at[i].number;
    }
    json_close(j, ']');
}

static void put_name(struct json *j, struct str *name)
{
    json_text(j, str_text(name));
    name->len = 0;
}

static void put_tables(struct json *j, struct overview *o)
{
    json_put_open(j, "threads", '[');
    for (uint32_t i = 0; i < o->t->threads.len; i++) {
        o->name.len = 0;
        thread_name(&o->name, o->t, i);
        put_name(j, &o->name);
    }
    json_close(j, ']');
    json_put_open(j, "kinds", '[');
    for (unsigned kind = 0; kind < EV_COUNT; kind++)
        json_text(j, text_of(kind == EV_NONE ? "" : ev_text(kind)));
    json_close(j, ']');
    json_put_texts(j, "objects", o->objects.at, o->objects.len);
    json_put_open(j, "sites", '[');
    for (uint32_t i = 0; i < o->sites.len; i++) {
        const struct def_site *s = &o->t->sites.at[o->sites.at[i]];
        o->name.len = 0;
        if (s->file.len + s->name.len > 0)
            site_name(&o->name, s);
        if (s->function.len > 0) {
            str_char(&o->name, ' ');
            str_bytes(&o->name, s->function.at, s->function.len);
        }
        put_name(j, &o->name);
    }
    json_close(j, ']');
}

static void put_data(struct overview *o, const char *title, struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    json_put_text(&j, "title", title);
    json_put_u64(&j, "events", o->cursor->number);
    json_put_bool(&j, "cut", o->cursor->cut);
    put_tables(&j, o);
    put_numbers(&j, o);
    put_column(&j, o, "thread", thread_in);
    put_column(&j, o, "kind", kind_in);
    put_column(&j, o, "site", site_in);
    put_column(&j, o, "object", object_in);
    put_column(&j, o, "peer", peer_in);
    put_column(&j, o, "flags", flags_in);
    json_close(&j, '}');
}

static void put_page(struct overview *o, const char *title, struct str *out)
{
    AUTO(str) struct str data = {0};
    put_data(o, title, &data);
    html_put_page(out,
                  &(struct html_page){.title = "Heddle: a run",
                                      .instead = "heddle trace dump",
                                      .css = &overview_css,
                                      .js = &overview_js},
                  &data);
}

int overview_write(struct trace *t, const struct trace_filter *f, const char *title,
                   trace_sink sink, void *arg, struct err *err)
{
    AUTO(str) struct str out = {0};
    struct overview o = {.t = t, .filter = f};
    struct ev e = {0};
    int item = ITEM_EVENT;
    o.cursor = mem_zeroed(1, sizeof *o.cursor);
    o.space = space_new();
    cursor_init(o.cursor, t);
    while (o.cursor->number < f->to && (item = trace_next(o.cursor, &e, err)) > ITEM_END) {
        space_feed(o.space, o.cursor, item, &e);
        if (item == ITEM_EVENT)
            take_row(&o, &e);
    }
    t->cut = o.cursor->cut;
    if (item >= 0)
        put_page(&o, title, &out);
    overview_done(&o);
    return item < 0 ? -1 : sink(arg, &out, err);
}
