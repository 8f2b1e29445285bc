/* SPDX-License-Identifier: Apache-2.0
 *
 * name: what kinds, words, sites and objects are called. The tables come from the .def files;
 * the rest is a pure function of the trace, the same in every run of the same schedule. */
#include "trace/trace.h"

static const struct {
    const char *text;
    enum acts_on acts_on;
} kinds[EV_COUNT] = {
    [EV_NONE] = {"none", ON_NONE},
#define EV(kind, text, acts_on, fields, help) [EV_##kind] = {text, ON_##acts_on},
#include "heddle/event.def"
#undef EV
};

static const char *const words[WORD_COUNT] = {
#define WORD(list, name, text, help) [list##_##name] = text,
#include "heddle/words.def"
#undef WORD
};

/* Which list each word belongs to, as the number of its first word. */
static const uint8_t word_list[WORD_COUNT] = {
#define WORD(list, name, text, help) [list##_##name] = list##_FIRST,
#include "heddle/words.def"
#undef WORD
};

const char *ev_text(unsigned kind)
{
    CHECK(kind < EV_COUNT);
    return kinds[kind].text;
}

enum acts_on ev_acts_on(unsigned kind)
{
    CHECK(kind < EV_COUNT);
    return kinds[kind].acts_on;
}

unsigned ev_kind_of(struct text name)
{
    for (unsigned k = 1; k < EV_COUNT; k++)
        if (text_is(name, text_of(kinds[k].text)))
            return k;
    return EV_NONE;
}

bool ev_is_access(unsigned kind)
{
    switch (kind) {
    case EV_READ:
    case EV_WRITE:
    case EV_ATOMIC_LOAD:
    case EV_ATOMIC_STORE:
    case EV_RMW:
    case EV_CAS:
    case EV_READ_RANGE:
    case EV_WRITE_RANGE:
        return true;
    default:
        return false;
    }
}

uint8_t class_of_use(enum acts_on on)
{
    static const uint8_t classes[] = {
        [ON_NONE] = WORD_VALUE(CLASS, MEMORY),     [ON_MEMORY] = WORD_VALUE(CLASS, MEMORY),
        [ON_BLOCK] = WORD_VALUE(CLASS, MEMORY),    [ON_SYNC] = WORD_VALUE(CLASS, MUTEX),
        [ON_LOCK] = WORD_VALUE(CLASS, MUTEX),      [ON_COND] = WORD_VALUE(CLASS, COND),
        [ON_SEM] = WORD_VALUE(CLASS, SEM),         [ON_BARRIER] = WORD_VALUE(CLASS, BARRIER),
        [ON_ONCE] = WORD_VALUE(CLASS, ONCE),       [ON_FUTEX] = WORD_VALUE(CLASS, FUTEX),
        [ON_CHANNEL] = WORD_VALUE(CLASS, CHANNEL),
    };
    return classes[on];
}

enum acts_on use_of_class(uint8_t class)
{
    switch (class + CLASS_FIRST) {
    case CLASS_COND:
        return ON_COND;
    case CLASS_SEM:
        return ON_SEM;
    case CLASS_BARRIER:
        return ON_BARRIER;
    case CLASS_ONCE:
        return ON_ONCE;
    case CLASS_FUTEX:
        return ON_FUTEX;
    case CLASS_CHANNEL:
        return ON_CHANNEL;
    default:
        return ON_LOCK;
    }
}

const char *word_text(unsigned list, unsigned value)
{
    unsigned at = list + value;
    return value < WORD_COUNT && at < WORD_COUNT && word_list[at] == list ? words[at] : NULL;
}

uint32_t word_of(unsigned list, struct text name)
{
    for (uint32_t v = 0; word_text(list, v); v++)
        if (text_is(name, text_of(word_text(list, v))))
            return v;
    return NONE;
}

static const struct doubt_row {
    const char *word, *sentence;
} doubts[] = {
#define DOUBT(name, word, effect, sentence) {word, sentence},
#include "heddle/doubt.def"
#undef DOUBT
};

const char *doubt_word(enum doubt doubt)
{
    CHECK(doubt < DOUBT_COUNT);
    return doubts[doubt].word;
}

const char *doubt_sentence(enum doubt doubt)
{
    CHECK(doubt < DOUBT_COUNT);
    return doubts[doubt].sentence;
}

void object_name(struct str *out, const struct object *o)
{
    if (!o->is_static) {
        str_add(out, o->class == WORD_VALUE(CLASS, HEAP) ? "heap#" : "stack#");
        str_u64(out, o->ordinal);
        return;
    }
    str_bytes(out, o->name.at, o->name.len);
    if (o->same > 0)
        str_add(out, "~%u", o->same + 1);
}

static void add_offset(struct str *out, uint64_t offset)
{
    if (offset == 0)
        return;
    str_char(out, '+');
    str_u64(out, offset);
}

void addr_name(struct str *out, const struct space *s, uint64_t addr)
{
    obj_id id = space_find(s, addr);
    if (id == NONE) {
        str_add(out, "0x%llx", (unsigned long long)addr);
        return;
    }
    object_name(out, space_object(s, id));
    add_offset(out, addr - space_object(s, id)->addr);
}

void addr_name_long(struct str *out, const struct trace *t, const struct space *s,
                    uint64_t addr)
{
    obj_id id = space_find(s, addr);
    const struct object *o = id == NONE ? NULL : space_object(s, id);
    if (!o || o->is_static) {
        addr_name(out, s, addr);
        return;
    }
    object_name(out, o);
    str_char(out, '(');
    site_name(out, &t->sites.at[o->site]);
    str_char(out, ')');
    add_offset(out, addr - o->addr);
}

void thread_name(struct str *out, const struct trace *t, uint32_t thr)
{
    const struct def_text *name = &t->threads.at[thr].name;
    bool imported = t->head.flags & TRACE_IMPORTED && name->len > 0;
    if (!imported)
        str_add(out, name->len ? "T%u " : "T%u", thr);
    str_bytes(out, name->at, name->len);
}

void site_name(struct str *out, const struct def_site *s)
{
    if (s->file.len == 0 && s->line == 0 && s->name.len > 0) {
        str_bytes(out, s->name.at, s->name.len);
        return;
    }
    if (s->file.len > 0) {
        str_bytes(out, s->file.at, s->file.len);
        str_char(out, ':');
    }
    str_u64(out, s->line);
    if (s->column > 0) {
        str_char(out, ':');
        str_u64(out, s->column);
    }
}
