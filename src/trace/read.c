/* SPDX-License-Identifier: Apache-2.0
 *
 * read: walk a binary trace. This is where the input is doubted: every length, kind, word, id
 * and checksum is tested here, once. A file that merely stops (the target was killed) is a
 * shorter trace; one that contradicts itself is corrupt, and the message says from where on. */
#include "trace/trace.h"

#include <string.h>

enum { ITEM_SWITCH = ITEM_OBJECT + 1 }; /* inside this file only: go on with the next record */

static int corrupt(const struct trace_cursor *c, const char *what, struct err *err)
{
    return err_set(err,
                   "corrupt at byte %zu: %s; the %llu events before it can be read "
                   "(heddle trace dump --to %llu FILE)",
                   (size_t)(c->at - c->t->bytes.at), what, (unsigned long long)c->number,
                   (unsigned long long)c->number);
}

/* Enters the block at c->block. 1: entered, 0: there is none, -1: corrupt. */
static int block_enter(struct trace_cursor *c, struct err *err)
{
    const struct bytes *b = &c->t->bytes;
    size_t left = b->len - (size_t)(c->block - b->at);
    const uint8_t *limit = c->block + (left < BLOCK_BYTES ? left : BLOCK_BYTES);
    const uint8_t *start = c->block + (c->block == b->at ? sizeof(struct trace_head) : 0);
    struct block_head head = {0};
    c->at = c->end = start;
    if (start + sizeof head <= limit)
        memcpy(&head, start, sizeof head);
    if (head.magic == 0)
        return 0; /* killed between closing one block and opening the next */
    if (head.magic != BLOCK_MAGIC)
        return corrupt(c, "no block starts here", err);
    if (head.first_event != c->number)
        return corrupt(c, "the block's event number is wrong", err);
    if (head.used_bytes && (head.used_bytes < sizeof head || head.used_bytes > BLOCK_BYTES))
        return corrupt(c, "the block's length is wrong", err);
    c->at = start + sizeof head;
    c->end = limit;
    c->open = head.used_bytes == 0;
    if (!c->open && start + head.used_bytes <= limit) {
        c->end = start + head.used_bytes;
        if (head.sum && head.sum != block_sum(c->at, (uint32_t)(c->end - c->at)))
            return corrupt(c, "the block's checksum is wrong", err);
    }
    guess_reset(&c->guess, head.thr);
    return 1;
}

/* On to the next block, if the file has one. */
static int block_next(struct trace_cursor *c, struct err *err)
{
    const struct bytes *b = &c->t->bytes;
    if (!c->block)
        c->block = b->at;
    else if (b->len - (size_t)(c->block - b->at) > BLOCK_BYTES)
        c->block += BLOCK_BYTES;
    else
        return 0;
    return block_enter(c, err);
}

static int read_site(struct trace_cursor *c, struct err *err)
{
    struct def_site s = {0};
    const uint8_t *next = trace_get_site(&c->guess, c->at, &s);
    if (next > c->end)
        return ITEM_END;
    if (c->site_count == NO_ID - 1)
        return corrupt(c, "too many sites", err);
    if (c->site_count++ == c->t->sites.len)
        vec_push(&c->t->sites, s);
    c->at = next;
    return ITEM_SITE;
}

static int read_thread(struct trace_cursor *c, struct err *err)
{
    struct def_thread t = {0};
    const uint8_t *next = trace_get_thread_def(c->at, &t);
    if (next > c->end)
        return ITEM_END;
    if (t.parent != NO_ID && t.parent >= c->thread_count)
        return corrupt(c, "a thread's parent is not defined", err);
    if (c->thread_count == THREADS_MAX)
        return corrupt(c, "more than 65535 threads", err);
    if (c->thread_count++ == c->t->threads.len)
        vec_push(&c->t->threads, t);
    c->at = next;
    return ITEM_THREAD;
}

static int read_object(struct trace_cursor *c, struct err *err)
{
    struct def_object o = {0};
    const uint8_t *next = trace_get_object(c->at, &o);
    if (next > c->end)
        return ITEM_END;
    if (!word_text(CLASS_FIRST, o.class))
        return corrupt(c, "unknown class of object", err);
    if (o.size > UINT64_MAX - o.addr)
        return corrupt(c, "an object does not fit into memory", err);
    o.begins = c->begins;
    c->begins = (struct def_text){0};
    if (c->object_count++ == c->t->objects.len)
        vec_push(&c->t->objects, o);
    c->at = next;
    return ITEM_OBJECT;
}

static int read_begins(struct trace_cursor *c)
{
    struct def_text begins = {0};
    const uint8_t *next = fmt_get_text(c->at + 1, &begins.at, &begins.len);
    if (next > c->end)
        return ITEM_END;
    c->begins = begins;
    c->at = next;
    return ITEM_SWITCH;
}

static int read_switch(struct trace_cursor *c, struct err *err)
{
    uint64_t thr;
    const uint8_t *next = fmt_get_varint(c->at + 1, &thr);
    if (next > c->end)
        return ITEM_END;
    if (thr >= c->thread_count)
        return corrupt(c, "no such thread", err);
    c->guess.thr = (uint32_t)thr;
    c->at = next;
    return ITEM_SWITCH;
}

/* NULL if every field of a general event means something. */
static const char *field_fault(const struct trace_cursor *c, const struct ev *e)
{
    if (e->kind == EV_BRANCH)
        return e->word < BRANCH_COUNT ? NULL : "unknown reason of a branch";
    if (e->kind == EV_ACQUIRE || e->kind == EV_RELEASE)
        return e->flags >> FLAG_COUNT ? "unknown flag" : NULL;
    for (const char *f = ev_fields(e->kind); *f; f++)
        if (*f == 'M' && e->order >= ORDER_COUNT)
            return "unknown memory order";
        else if (*f == 'F' && e->flags >> FLAG_COUNT)
            return "unknown flag";
        else if (*f == 'B' && e->word >= BRANCH_COUNT)
            return "unknown reason of a branch";
        else if (*f == 'C' && e->word >= CLASS_COUNT)
            return "unknown class of object";
        else if (*f == 'R' && e->word >= MARK_COUNT)
            return "unknown mark";
        else if (*f == 'T' && e->peer >= c->thread_count)
            return "no such thread";
        else if (*f == 'Z' && (e->size == 0 || e->size > UINT64_MAX - e->addr))
            return "an access does not fit into memory";
        else if (*f == 'L' && e->len > UINT64_MAX - e->addr)
            return "a range does not fit into memory";
    return NULL;
}

/* The data ends here: did the writer come to its end, and is everything there? */
static int read_end(struct trace_cursor *c, struct err *err)
{
    uint64_t want = c->t->head.event_count;
    if (c->rounds.start)
        return corrupt(c, "what happens again is cut", err);
    c->cut = !(c->t->head.flags & TRACE_CLOSED) || c->number < want;
    if (!c->cut && c->number > want)
        return corrupt(c, "more events than the head says", err);
    return ITEM_END;
}

int trace_refuse(struct trace_cursor *c, const uint8_t *next, const struct ev *e,
                 struct err *err)
{
    if (next > c->end)
        return read_end(c, err);
    if (e->site >= c->site_count)
        return corrupt(c, "no such site", err);
    return corrupt(c, "no such thread", err);
}

static int read_event(struct trace_cursor *c, struct ev *out, struct err *err)
{
    bool access = *c->at >= OP_ACCESS;
    const uint8_t *next = access ? trace_get_access(&c->guess, c->at, c->values, out)
                                 : trace_get_event(&c->guess, c->at, c->number, out);
    out->thr = c->guess.thr;
    if (next > c->end || out->site >= c->site_count || out->thr >= c->thread_count)
        return trace_refuse(c, next, out, err);
    const char *fault = access ? NULL : field_fault(c, out);
    if (fault)
        return corrupt(c, fault, err);
    c->number++;
    c->at = next;
    return ITEM_EVENT;
}

/* ---- what happens again ------------------------------------------------------------------ */

/* Whole rounds are read like any other records, with the end of the round in the place of the
 * block's; of the last one, which may be a part, one event at a time. */
static void round_begin(struct trace_cursor *c)
{
    struct trace_rounds *r = &c->rounds;
    bool is_whole = r->left >= r->events;
    if (r->left == 0) {
        c->at = r->next;
        c->end = r->block_end;
        r->start = NULL;
        return;
    }
    r->part = is_whole ? 0 : r->left;
    r->left -= is_whole ? r->events : r->left;
    r->first = c->number;
    c->at = r->start;
    c->end = is_whole ? r->end : r->start;
}

static int read_repeat(struct trace_cursor *c, struct err *err)
{
    struct trace_repeat r;
    const uint8_t *next = trace_get_repeat(c->at, &r);
    size_t heads = sizeof(struct block_head) +
                   (c->block == c->t->bytes.at ? sizeof(struct trace_head) : 0);
    if (next > c->end)
        return ITEM_END;
    if (r.events == 0 || r.count > REPEAT_COUNT_MAX)
        return corrupt(c, "wrong count of what happens again", err);
    if (r.bytes > (size_t)(c->at - c->block) - heads)
        return corrupt(c, "what happens again is not in its block", err);
    c->rounds = (struct trace_rounds){.start = c->at - r.bytes,
                                      .end = c->at,
                                      .next = next,
                                      .block_end = c->end,
                                      .events = r.events,
                                      .left = r.count};
    round_begin(c);
    return ITEM_SWITCH;
}

static int read_event_again(struct trace_cursor *c, struct ev *out, struct err *err)
{
    if (*c->at < OP_ACCESS && *c->at != EV_BRANCH)
        return corrupt(c, "this cannot happen again", err);
    return read_event(c, out, err);
}

/* At the end of a round, or before an event of a part of one. */
static int round_end(struct trace_cursor *c, struct ev *out, struct err *err)
{
    struct trace_rounds *r = &c->rounds;
    if (r->part == 0) {
        if (c->number - r->first != r->events)
            return corrupt(c, "wrong count of what happens again", err);
        round_begin(c);
        return ITEM_SWITCH;
    }
    if (c->at == r->end)
        return corrupt(c, "wrong count of what happens again", err);
    c->end = r->end;
    int item = read_event_again(c, out, err);
    c->end = c->at;
    if (--r->part == 0)
        round_begin(c);
    return item;
}

/* The record at c->at, whatever it is; ITEM_END if it is not all there. */
static int read_record(struct trace_cursor *c, struct ev *out, struct err *err)
{
    switch (*c->at) {
    case OP_SITE:
        return read_site(c, err);
    case OP_THREAD:
        return read_thread(c, err);
    case OP_OBJECT:
        return read_object(c, err);
    case OP_BEGINS:
        return read_begins(c);
    case OP_SWITCH:
        return read_switch(c, err);
    case OP_REPEAT:
        return read_repeat(c, err);
    default:
        break;
    }
    if (*c->at >= EV_COUNT && *c->at < OP_ACCESS)
        return corrupt(c, "unknown record", err);
    return read_event(c, out, err);
}

/* A record of the block, or where it ends the first one of the next. */
static int read_item(struct trace_cursor *c, struct ev *out, struct err *err)
{
    if (c->at == c->end) {
        int entered = block_next(c, err);
        return entered < 0 ? -1 : entered ? ITEM_SWITCH : ITEM_END;
    }
    if (*c->at == OP_END)
        return c->open ? ITEM_END : corrupt(c, "unknown record", err);
    return read_record(c, out, err);
}

/* A part of a trace is one whose writer did not come to its end. */
static int stop_here(struct trace_cursor *c)
{
    c->cut = true;
    return ITEM_END;
}

/* What other processes say need not be because of what they were told, or said before. */
static void look_outside(struct trace *t, struct ev *e)
{
    if (e->kind == EV_SUM && e->addr == THING_OUTSIDE_ADDRESS) {
        t->hears_outside = true;
        e->addr = t->forgets ? THING_ADDRESS + 4 : e->addr; /* that of nothing */
    } else if (e->kind == EV_INPUT && e->len > 0) {
        t->hears_outside |= t->input_thread && t->input_thread != e->thr + 1;
        t->input_thread = e->thr + 1;
        e->len = t->forgets ? 0 : e->len;
    }
}

int trace_next(struct trace_cursor *c, struct ev *out, struct err *err)
{
    if (c->number >= c->stop)
        return stop_here(c);
    for (;;) {
        int item = !c->rounds.start  ? read_item(c, out, err)
                   : c->at == c->end ? round_end(c, out, err)
                                     : read_event_again(c, out, err);
        if (item == ITEM_EVENT)
            look_outside(c->t, out);
        if (item != ITEM_SWITCH)
            return item == ITEM_END ? read_end(c, err) : item;
    }
}

void cursor_init(struct trace_cursor *c, struct trace *t)
{
    *c = (struct trace_cursor){
        .t = t, .values = true, .stop = t->events_max ? t->events_max : UINT64_MAX};
}
