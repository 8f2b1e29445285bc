/* SPDX-License-Identifier: Apache-2.0
 *
 * waits: which threads could not go on when the run ended: where each stands, what it waits
 * for, who holds that and since where, as records of the outcome. */
#include "rt/rt.h"

enum { TEXT_BYTES_MAX = 300 };

/* Everything of one record but its head. */
struct wait_data {
    struct log_wait head;
    char texts[3 * TEXT_BYTES_MAX + 4];
};

static void put_text(struct text *out, const char *s)
{
    uint32_t len = s ? (uint32_t)__builtin_strlen(s) : 0;
    text_put_len(out, s, len < TEXT_BYTES_MAX ? len : TEXT_BYTES_MAX - 1);
    text_put_len(out, "", 1);
}

static void write_record(int fd, struct log_record *r, const struct __heddle_site *site,
                         struct log_wait head, const char *name)
{
    struct wait_data data = {.head = head};
    struct text texts = {data.texts, 0, sizeof data.texts};
    data.head.line = site ? site->line : 0;
    put_text(&texts, site ? __heddle_site_text(site, site->file) : NULL);
    put_text(&texts, site ? __heddle_site_text(site, site->function) : NULL);
    put_text(&texts, name);
    CHECK(texts.len < texts.cap); /* none was cut in its middle */
    log_put(fd, r, (const char *)&data, (uint32_t)sizeof data.head + texts.len);
}

static void write_holder(int fd, const struct thr *holder, const struct __heddle_site *since)
{
    struct log_record r = {.tag = TAG_HOLDER, .thr = holder->id};
    struct log_wait head = {.number = holder->state == THR_EXITED};
    write_record(fd, &r, since, head, NULL);
}

static const struct thr *joined_by(const struct thr *t)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (rt.threads[i].joiner == t)
            return &rt.threads[i];
    return NULL;
}

/* Without descriptors only a signal ends it. */
static uint8_t world_word(const struct thr *t)
{
    return t->wait_test            ? WORD_VALUE(WAITS, OUTSIDE)
           : t->wait_fd_count == 0 ? WORD_VALUE(WAITS, SIGNAL)
                                   : WORD_VALUE(WAITS, DESCRIPTOR);
}

static void write_wait(int fd, const struct thr *t)
{
    char name[TEXT_BYTES_MAX];
    struct text named = {name, 0, sizeof name};
    const struct obj *o = t->wait_obj;
    const struct thr *joined = t->wait_how == WAIT_JOIN ? joined_by(t) : NULL;
    struct log_record r = {.tag = TAG_WAIT, .thr = t->id, .ordinal = t->wait_how};
    struct log_wait head = {.object = o ? o->addr : 0};
    text_put(&named, "");
    if (t->wait_how == WAIT_FD) {
        r.ordinal = world_word(t);
        head.of = t->wait_test ? 0 : t->wait_fd_count;
        head.number = head.of == 1 ? (uint32_t)t->wait_fds[0].fd : head.of;
        text_put(&named, t->wait_test ? t->wait_word : "");
    } else if (t->wait_how == WAIT_JOIN) {
        head.number = joined ? joined->id : NO_ID;
    } else if (t->wait_how == WAIT_BARRIER && o) {
        head.number = o->arrived;
        head.of = o->need;
    }
    if (o && globals_find(o->addr))
        text_address(&named, o->addr);
    write_record(fd, &r, t->wait_site, head, name);
    CHECK(!o || o->owner == NO_ID || o->owner < rt.thread_count);
    CHECK(t->wait_how != WAIT_JOIN || joined);
    if (o && o->owner != NO_ID)
        write_holder(fd, &rt.threads[o->owner], o->since);
    for (uint32_t i = o ? o->reader_head : NO_ID; i != NO_ID; i = rt.reads[i].next)
        write_holder(fd, rt.reads[i].thr, rt.reads[i].since);
}

static void write_spin(int fd, const struct thr *t)
{
    struct log_record r = {.tag = TAG_WAIT, .thr = t->id, .ordinal = WORD_VALUE(WAITS, CHANGE)};
    write_record(fd, &r, t->at.site, (struct log_wait){0}, NULL);
}

void waits_write(int fd)
{
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        const struct thr *t = &rt.threads[i];
        if (t->state == THR_BLOCKED)
            write_wait(fd, t);
        else if (t->state == THR_SPINNING)
            write_spin(fd, t);
    }
}
