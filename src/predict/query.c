/* SPDX-License-Identifier: Apache-2.0
 *
 * query: queries as lines of text:
 *
 *     race E1 E2    weak E1 E2    dl K Q1..QK    av E1 E2 E3 PATTERN ...    ord K E1..EK BITS
 *     next K N E1..EK    blocked K N E1..EK */
#include "predict/engine.h"

#include <string.h>

/* ---- reading --------------------------------------------------------------------------- */

static struct text word(struct text *line)
{
    while (line->len > 0 && (*line->at == ' ' || *line->at == '\t')) {
        line->at++;
        line->len--;
    }
    struct text w = {line->at, 0};
    while (line->len > 0 && *line->at != ' ' && *line->at != '\t') {
        line->at++;
        line->len--;
        w.len++;
    }
    return w;
}

static int numbers(struct query *q, struct text *line, uint64_t count, struct err *err)
{
    if (count < 1 || count > QUERY_MAX)
        return err_set(err, "a query names 1 to %d events", QUERY_MAX);
    q->count = (uint32_t)count;
    for (uint32_t i = 0; i < q->count; i++) {
        struct text w = word(line);
        if (!text_number(w, &q->number[i]))
            return err_set(err, "\"%.*s\" is no event number", TEXT_ARG(w));
    }
    return 0;
}

static int counted(struct query *q, struct text *line, struct err *err)
{
    uint64_t count;
    struct text w = word(line);
    if (!text_number(w, &count))
        return err_set(err, "\"%.*s\" is no number of events", TEXT_ARG(w));
    return numbers(q, line, count, err);
}

static int adjacency(struct query *q, struct text *line, struct err *err)
{
    struct text w = word(line);
    if (w.len != q->count - 1 && !(w.len == 0))
        return err_set(err, "\"%.*s\" is not one bit for each two events", TEXT_ARG(w));
    for (uint32_t i = 0; i < w.len; i++) {
        if (w.at[i] != '0' && w.at[i] != '1')
            return err_set(err, "\"%.*s\" is not of bits", TEXT_ARG(w));
        q->adjacent |= (uint32_t)(w.at[i] == '1') << i;
    }
    return 0;
}

/* How many events, how many of them happen in order, and which. */
static int next_events(struct query *q, struct text *line, struct err *err)
{
    uint64_t count, ordered;
    struct text w = word(line), v = word(line);
    if (!text_number(w, &count) || !text_number(v, &ordered) || ordered > count)
        return err_set(err, "\"%.*s %.*s\" is not how many events, and how many of them happen",
                       TEXT_ARG(w), TEXT_ARG(v));
    q->ordered = (uint32_t)ordered;
    return numbers(q, line, count, err);
}

int query_parse(struct query *out, struct text line, struct err *err)
{
    struct query q = {.kind = QUERY_ORDER};
    struct text name = word(&line);
    int failed;
    if (text_is(name, TEXT("race"))) {
        q.kind = QUERY_RACE;
        failed = numbers(&q, &line, 2, err);
    } else if (text_is(name, TEXT("weak"))) {
        q.kind = QUERY_UNORDERED;
        failed = numbers(&q, &line, 2, err);
    } else if (text_is(name, TEXT("dl"))) {
        q.kind = QUERY_DEADLOCK;
        failed = counted(&q, &line, err);
    } else if (text_is(name, TEXT("av"))) {
        failed = numbers(&q, &line, 3, err);
    } else if (text_is(name, TEXT("ord"))) {
        failed = counted(&q, &line, err);
        failed = failed ? failed : adjacency(&q, &line, err);
    } else if (text_is(name, TEXT("next")) || text_is(name, TEXT("blocked"))) {
        q.kind = text_is(name, TEXT("next")) ? QUERY_NEXT : QUERY_BLOCKED;
        failed = next_events(&q, &line, err);
    } else {
        return err_set(err, "\"%.*s\" is no query: race, weak, dl, av, ord, next or blocked",
                       TEXT_ARG(name));
    }
    if (!failed)
        *out = q;
    return failed;
}
