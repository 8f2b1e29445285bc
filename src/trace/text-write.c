/* SPDX-License-Identifier: Apache-2.0
 *
 * text-write: a trace as text that reads back to the same trace (docs/notation.md).
 *
 * Every name printed must mean to the reader what it means here. So a name is given to the
 * first object or thread that claims it and to no other; who comes too late is written as
 * "-" where it is defined and by its bare address from then on. With a filter, events carry
 * their numbers, and a block whose allocation was left out is defined before its first use. */
#include "trace/notation.h"

enum {
    SINK_BYTES = 64 << 10,
    NO_TOKEN = -1,    /* written as an address */
    BLOCK_TOKEN = -2, /* heap#12, stack#3: made up when needed */
};

struct shown {
    int32_t token;   /* index into tokens, or one of the above */
    bool is_defined; /* in what was printed */
};

struct text_writer {
    struct trace *t;                   /* borrowed */
    const struct trace_filter *filter; /* borrowed */
    bool is_filtered;
    struct trace_cursor *cursor; /* owned */
    struct space *space;         /* owned */
    struct str out, scratch;
    struct arena mem;
    struct names object_names, thread_names;
    VEC(struct shown) objects; /* by obj_id */
    VEC(struct text) tokens;   /* of named objects, as they are printed */
    VEC(struct text) threads;  /* by thread: how it is printed */
    VEC(struct text) sites;    /* by site: the end of an event's line */
    struct text kinds[EV_COUNT];
    bool has_addr[EV_COUNT];
    uint32_t heap_count, stack_count; /* blocks that have come to life */
};

static void auto_text_writer(struct text_writer *w)
{
    free(w->cursor);
    space_free(w->space);
    str_done(&w->out);
    str_done(&w->scratch);
    arena_done(&w->mem);
    names_done(&w->object_names);
    names_done(&w->thread_names);
    vec_done(&w->objects);
    vec_done(&w->tokens);
    vec_done(&w->threads);
    vec_done(&w->sites);
}

/* ---- words and numbers ------------------------------------------------------------------- */

static void put_text(struct str *out, struct text t)
{
    str_bytes(out, t.at, t.len);
}

static void put_word(struct str *out, const char *word)
{
    str_char(out, ' ');
    str_bytes(out, word, strlen(word));
}

static void put_hex(struct str *out, uint64_t value)
{
    char digits[18];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    digits[--at] = 'x';
    digits[--at] = '0';
    str_bytes(out, digits + at, sizeof digits - at);
}

static void put_value(struct str *out, uint64_t value)
{
    str_char(out, ' ');
    if (value >> 32)
        put_hex(out, value);
    else
        str_u64(out, value);
}

static void put_number(struct str *out, const char *word, uint64_t value)
{
    put_word(out, word);
    str_char(out, ' ');
    str_u64(out, value);
}

static void put_name(struct str *out, struct text t)
{
    if (name_is_bare(t))
        put_text(out, t);
    else
        str_quoted(out, t);
}

static void put_part(struct str *out, const char *word, struct text name)
{
    put_word(out, word);
    str_char(out, ' ');
    put_name(out, name);
}

static struct text as_text(struct def_text t)
{
    return (struct text){t.at, t.len};
}

/* What is in scratch, kept for as long as the writer lives. */
static struct text keep_scratch(struct text_writer *w)
{
    struct str *s = &w->scratch;
    struct text kept = {arena_text(&w->mem, s->at, s->len), (uint32_t)s->len};
    s->len = 0;
    return kept;
}

/* ---- definitions ------------------------------------------------------------------------- */

static void put_header(struct text_writer *w)
{
    struct str *out = &w->out;
    str_add(out, "heddle trace %d", NOTATION_VERSION);
    for (unsigned i = 0; i < NOTATION_FLAG_COUNT; i++)
        if (w->t->head.flags & notation_flags[i].flag)
            put_word(out, notation_flags[i].word);
    str_char(out, '\n');
}

static void put_position(struct str *out, const struct def_site *s)
{
    bool has_line = s->line > 0 || s->column > 0;
    if (s->file.len > 0)
        put_name(out, as_text(s->file));
    else if (!has_line)
        str_char(out, '-');
    if (has_line)
        str_add(out, ":%u", s->line);
    if (s->column > 0)
        str_add(out, ":%u", s->column);
}

static void put_site(struct str *out, uint32_t id, const struct def_site *s)
{
    str_add(out, "site %u ", id);
    put_position(out, s);
    if (s->function.len > 0)
        put_part(out, "in", as_text(s->function));
    if (s->name.len > 0)
        put_part(out, "of", as_text(s->name));
    if (s->is_volatile)
        put_word(out, "volatile");
    if (s->statement > 0)
        put_number(out, "stmt", s->statement);
    if (s->unit > 0)
        put_number(out, "unit", s->unit);
    if (s->ordinal > 0)
        put_number(out, "ordinal", s->ordinal);
    if (s->depends_count > 0)
        put_word(out, "from");
    const uint8_t *p = s->depends;
    for (uint32_t i = 0; i < s->depends_count; i++) {
        uint32_t ordinal;
        p = fmt_get_u32(p, &ordinal);
        str_add(out, " %u", ordinal);
    }
    str_char(out, '\n');
}

/* "@3" for events, and a comment that says where that is. */
static struct text make_site_end(struct text_writer *w, uint32_t id, const struct def_site *s)
{
    struct str *out = &w->scratch;
    str_add(out, " @%u", id);
    bool has_position = s->file.len > 0 || s->line > 0 || s->column > 0;
    if (has_position || s->function.len > 0 || s->name.len > 0)
        put_text(out, TEXT("  #"));
    if (has_position) {
        str_char(out, ' ');
        put_position(out, s);
    } else if (s->name.len > 0) {
        str_char(out, ' ');
        put_name(out, as_text(s->name));
    }
    if (s->function.len > 0) {
        str_char(out, ' ');
        put_name(out, as_text(s->function));
    }
    str_char(out, '\n');
    return keep_scratch(w);
}

static void add_site(struct text_writer *w)
{
    uint32_t id = w->cursor->site_count - 1;
    const struct def_site *s = &w->t->sites.at[id];
    put_site(&w->out, id, s);
    vec_push(&w->sites, make_site_end(w, id, s));
}

/* T3; in an imported trace its name, unless an earlier thread has that one. */
static struct text make_thread_name(struct text_writer *w, uint32_t id, struct text name)
{
    bool imported = w->t->head.flags & TRACE_IMPORTED;
    if (!imported || name.len == 0 || names_find(&w->thread_names, name) != NONE) {
        str_add(&w->scratch, "T%u", id);
        name = keep_scratch(w);
    }
    for (uint32_t i = 2; imported && names_find(&w->thread_names, name) != NONE; i++) {
        str_add(&w->scratch, "T%u~%u", id, i);
        name = keep_scratch(w);
    }
    if (imported)
        names_add(&w->thread_names, name);
    return name;
}

static void add_thread(struct text_writer *w)
{
    uint32_t id = w->cursor->thread_count - 1;
    const struct def_thread *d = &w->t->threads.at[id];
    struct text true_name = as_text(d->name), name = make_thread_name(w, id, true_name);
    put_name(&w->scratch, name);
    vec_push(&w->threads, keep_scratch(w));

    struct str *out = &w->out;
    put_text(out, TEXT("thread "));
    put_text(out, w->threads.at[id]);
    if (d->parent != NO_ID) {
        put_text(out, TEXT(" parent "));
        put_text(out, w->threads.at[d->parent]);
    }
    if (d->parent != NO_ID || d->spawn > 0)
        put_number(out, "spawn", d->spawn);
    bool imported = w->t->head.flags & TRACE_IMPORTED;
    if (imported ? !text_is(true_name, name) : true_name.len > 0) {
        str_char(out, ' ');
        str_quoted(out, true_name);
    }
    str_char(out, '\n');
}

/* Is this what a block is called, or was? */
static bool is_block_name(const struct text_writer *w, struct text name)
{
    uint32_t skip = 0, count = 0;
    if (name.len > 5 && memcmp(name.at, "heap#", 5) == 0)
        skip = 5, count = w->heap_count;
    else if (name.len > 6 && memcmp(name.at, "stack#", 6) == 0)
        skip = 6, count = w->stack_count;
    uint64_t ordinal;
    struct text digits = {name.at + skip, name.len - skip};
    return skip > 0 && text_number(digits, &ordinal) && ordinal < count;
}

/* How a newborn object is going to be written. */
static int32_t choose_token(struct text_writer *w, const struct object *o)
{
    if (o->class == WORD_VALUE(CLASS, HEAP) && !o->is_static)
        w->heap_count = o->ordinal + 1;
    else if (!o->is_static)
        w->stack_count = o->ordinal + 1;
    if (o->is_static && o->name.len == 0)
        return NO_TOKEN;
    object_name(&w->scratch, o);
    struct text name = {w->scratch.at, (uint32_t)w->scratch.len};
    w->scratch.len = 0;
    if (names_find(&w->object_names, name) != NONE)
        return NO_TOKEN;
    if (!o->is_static)
        return BLOCK_TOKEN;
    if (is_block_name(w, name))
        return NO_TOKEN;
    w->scratch.len = name.len;
    names_add(&w->object_names, keep_scratch(w));
    put_name(&w->scratch, w->object_names.all.at[w->tokens.len].text);
    vec_push(&w->tokens, keep_scratch(w));
    return (int32_t)w->tokens.len - 1;
}

static void put_token(struct text_writer *w, obj_id id)
{
    const struct object *o = space_object(w->space, id);
    int32_t token = w->objects.at[id].token;
    if (token >= 0) {
        put_text(&w->out, w->tokens.at[token]);
        return;
    }
    CHECK(token == BLOCK_TOKEN);
    put_text(&w->out, o->class == WORD_VALUE(CLASS, HEAP) ? TEXT("heap#") : TEXT("stack#"));
    str_u64(&w->out, o->ordinal);
}

/* size is the one of the definition, which may be 0. */
static void put_object(struct text_writer *w, obj_id id, uint64_t size)
{
    struct str *out = &w->out;
    const struct object *o = space_object(w->space, id);
    int32_t token = w->objects.at[id].token;
    put_text(out, TEXT("object "));
    if (token == NO_TOKEN)
        str_char(out, '-');
    else
        put_token(w, id);
    put_word(out, word_text(CLASS_FIRST, o->class));
    str_char(out, ' ');
    put_hex(out, o->addr);
    str_char(out, ':');
    str_u64(out, size);
    bool says_name = token >= 0 && text_is(w->object_names.all.at[token].text, o->name);
    if (o->name.len > 0 && !says_name) {
        str_char(out, ' ');
        str_quoted(out, o->name);
    }
    str_char(out, '\n');
    w->objects.at[id].is_defined = true;
}

/* Objects that the space has got to know with this item: one at most. */
static void add_object(struct text_writer *w, int item)
{
    obj_id id = w->objects.len;
    if (id == space_count(w->space))
        return;
    vec_push(&w->objects, (struct shown){choose_token(w, space_object(w->space, id)), false});
    if (item == ITEM_OBJECT)
        put_object(w, id, w->t->objects.at[w->cursor->object_count - 1].size);
}

/* ---- events ------------------------------------------------------------------------------ */

static bool has_address(const struct text_writer *w, const struct ev *e)
{
    if (!w->has_addr[e->kind] || !address_is_optional(e->kind))
        return w->has_addr[e->kind];
    return e->addr != 0 || (e->kind == EV_MARK && e->len != 0);
}

/* An address with the size or length that belongs to it. */
static void put_address(struct text_writer *w, const struct ev *e, char next, obj_id id)
{
    struct str *out = &w->out;
    const struct object *o = NULL;
    uint64_t offset = 0;
    str_char(out, ' ');
    if (id != NONE && w->objects.at[id].token != NO_TOKEN) {
        o = space_object(w->space, id);
        offset = e->addr - o->addr;
        put_token(w, id);
        if (ev_begins_block(e->kind))
            str_char(out, '=');
        if (offset > 0) {
            str_char(out, '+');
            str_u64(out, offset);
        }
    }
    if (!o || ev_begins_block(e->kind))
        put_hex(out, e->addr);
    bool is_whole = o && offset == 0 && o->size <= 8 && o->size == e->size;
    if (next == 'L' || (next == 'Z' && !is_whole)) {
        str_char(out, ':');
        str_u64(out, next == 'L' ? e->len : e->size);
    }
}

static void put_flags(struct str *out, unsigned flags)
{
    for (unsigned bit = 0; flags >> bit; bit++)
        if (flags >> bit & 1)
            put_word(out, word_text(FLAG_FIRST, bit));
}

static void put_reference(struct str *out, uint64_t event)
{
    if (event == NO_EVENT)
        return;
    put_text(out, TEXT(" by #"));
    str_u64(out, event);
}

static void put_event_number(struct str *out, const struct ev *e)
{
    const char *word = number_word(e->kind);
    if (!word)
        put_value(out, e->number);
    else if (e->number != number_default(e->kind))
        put_number(out, word, e->number);
}

static void put_field(struct text_writer *w, const struct ev *e, char field)
{
    struct str *out = &w->out;
    switch (field) {
    case 'V':
        put_value(out, e->value);
        return;
    case 'W':
        put_word(out, second_word(e->kind));
        put_value(out, e->value2);
        return;
    case 'L':
        put_number(out, "len", e->len);
        return;
    case 'M':
        put_word(out, word_text(ORDER_FIRST, e->order));
        return;
    case 'F':
        put_flags(out, e->flags);
        return;
    case 'N':
        put_event_number(out, e);
        return;
    case 'T':
        str_char(out, ' ');
        put_text(out, w->threads.at[e->peer]);
        return;
    case 'K':
        put_reference(out, e->ref);
        return;
    case 'B':
        if (e->word != WORD_VALUE(BRANCH, EXPLICIT))
            put_word(out, word_text(BRANCH_FIRST, e->word));
        return;
    case 'C':
        put_word(out, word_text(CLASS_FIRST, e->word));
        return;
    case 'R':
        put_word(out, word_text(MARK_FIRST, e->word));
        return;
    case 'S':
        str_char(out, ' ');
        str_quoted(out, (struct text){e->text, e->text_len});
        return;
    }
}

static void put_event(struct text_writer *w, const struct ev *e, obj_id id)
{
    struct str *out = &w->out;
    if (w->is_filtered) {
        str_char(out, '#');
        str_u64(out, w->cursor->number - 1);
        str_char(out, ' ');
    }
    put_text(out, w->threads.at[e->thr]);
    put_text(out, w->kinds[e->kind]);
    for (const char *f = ev_fields(e->kind); *f; f++) {
        if (*f != 'A') {
            put_field(w, e, *f);
            continue;
        }
        if (has_address(w, e))
            put_address(w, e, f[1], id);
        f += f[1] == 'Z' || f[1] == 'L';
    }
    put_text(out, w->sites.at[e->site]);
}

/* The filter left its allocation out. A block of no bytes counts as one byte in the space,
 * even where there is no room for it. */
static void put_lost_block(struct text_writer *w, obj_id id)
{
    const struct object *o = space_object(w->space, id);
    put_object(w, id, o->size > UINT64_MAX - o->addr ? 0 : o->size);
}

static void add_event(struct text_writer *w, const struct ev *e)
{
    obj_id id = has_address(w, e) ? space_find(w->space, e->addr) : NONE;
    if (w->is_filtered && !filter_keeps(w->filter, w->space, w->cursor->number - 1, e))
        return;
    if (id != NONE && !w->objects.at[id].is_defined) {
        w->objects.at[id].is_defined = true;
        if (!ev_begins_block(e->kind) && w->objects.at[id].token != NO_TOKEN)
            put_lost_block(w, id);
    }
    put_event(w, e, id);
}

static void add_item(struct text_writer *w, int item, const struct ev *e)
{
    space_feed(w->space, w->cursor, item, e);
    add_object(w, item);
    switch (item) {
    case ITEM_EVENT:
        add_event(w, e);
        return;
    case ITEM_SITE:
        add_site(w);
        return;
    case ITEM_THREAD:
        add_thread(w);
        return;
    }
}

static void writer_init(struct text_writer *w, struct trace *t, const struct trace_filter *f)
{
    *w = (struct text_writer){.t = t,
                              .filter = f,
                              .is_filtered = f->from > 0 || f->to != NO_EVENT ||
                                             f->threads.len > 0 || f->names.len > 0,
                              .cursor = mem_get(sizeof *w->cursor),
                              .space = space_new()};
    cursor_init(w->cursor, t);
    for (unsigned k = 1; k < EV_COUNT; k++) {
        put_word(&w->scratch, ev_text(k));
        w->kinds[k] = keep_scratch(w);
        w->has_addr[k] = strchr(ev_fields(k), 'A') != NULL;
    }
}

/* What was printed before a corrupt place is handed over, too. */
static int write_items(struct text_writer *w, trace_sink sink, void *arg, struct err *err)
{
    struct ev e = {0};
    int item = ITEM_EVENT;
    while (w->cursor->number < w->filter->to && item != ITEM_END) {
        item = trace_next(w->cursor, &e, err);
        if (item < 0) {
            struct err other;
            sink(arg, &w->out, &other);
            return -1;
        }
        add_item(w, item, &e);
        if (w->out.len > SINK_BYTES && sink(arg, &w->out, err) < 0)
            return -1;
    }
    w->t->cut = w->cursor->cut;
    if (w->t->cut)
        put_text(&w->out, TEXT("cut\n"));
    return sink(arg, &w->out, err);
}

int text_write(struct trace *t, const struct trace_filter *f, trace_sink sink, void *arg,
               struct err *err)
{
    AUTO(text_writer) struct text_writer w;
    writer_init(&w, t, f);
    put_header(&w);
    return write_items(&w, sink, arg, err);
}
