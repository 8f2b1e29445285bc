/* SPDX-License-Identifier: Apache-2.0
 *
 * std: what the reader and the writer of RAPID's STD notation share: the operations, and where
 * the reader puts the objects it makes up. Private to trace/. */
#ifndef TRACE_STD_H
#define TRACE_STD_H

#include "trace/trace.h"

enum std_arg {
    ARG_NONE,     /* an argument may stand there and is not kept */
    ARG_MEMORY,   /* name of a variable */
    ARG_LOCK,     /* name of a lock */
    ARG_COND,     /* name of a condition */
    ARG_THREAD,   /* name of a thread */
    ARG_OPTIONAL, /* nothing, the own thread, or the name of a region */
};

struct std_op {
    struct text name;
    uint8_t kind; /* enum ev_kind */
    uint8_t word; /* marks: which */
    uint8_t arg;  /* enum std_arg */
};

/* The frequent ones first: the reader looks from the top. */
static const struct std_op std_ops[] = {
    {TEXT("r"), EV_READ, 0, ARG_MEMORY},
    {TEXT("w"), EV_WRITE, 0, ARG_MEMORY},
    {TEXT("acq"), EV_ACQUIRE, 0, ARG_LOCK},
    {TEXT("rel"), EV_RELEASE, 0, ARG_LOCK},
    {TEXT("req"), EV_REQUEST, 0, ARG_LOCK},
    {TEXT("br"), EV_BRANCH, WORD_VALUE(BRANCH, EXPLICIT), ARG_NONE},
    {TEXT("fork"), EV_CREATE, 0, ARG_THREAD},
    {TEXT("join"), EV_JOIN, 0, ARG_THREAD},
    {TEXT("wait_pre"), EV_WAIT_ENTER, 0, ARG_COND},
    {TEXT("wait_post"), EV_WAIT_LEAVE, 0, ARG_COND},
    {TEXT("wait"), EV_WAIT, 0, ARG_COND},
    {TEXT("notify"), EV_SIGNAL, 0, ARG_COND},
    {TEXT("notifyall"), EV_BROADCAST, 0, ARG_COND},
    {TEXT("begin"), EV_MARK, WORD_VALUE(MARK, BEGIN), ARG_OPTIONAL},
    {TEXT("end"), EV_MARK, WORD_VALUE(MARK, END), ARG_OPTIONAL},
};

enum { STD_OP_COUNT = sizeof std_ops / sizeof std_ops[0] };

/* A field can hold anything but separators and control characters, and is never empty. */
static inline bool std_can_hold(struct text t)
{
    for (uint32_t i = 0; i < t.len; i++)
        if (t.at[i] == '|' || t.at[i] == 0x7f || (uint8_t)t.at[i] < ' ')
            return false;
    return t.len > 0;
}

#endif
