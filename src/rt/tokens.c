/* SPDX-License-Identifier: Apache-2.0
 *
 * tokens: strtok, strtok_r, strsep. Each looks for the next word of a text, puts a NUL behind
 * it, and keeps the place where it goes on: strtok in libc, the others where they are told. */
#include "rt/libc.h"

#include <string.h>

/* Where the word of this text ends. */
static const char *word_end(const char *text, const char *ends, bool skips)
{
    text += skips ? strspn(text, ends) : 0;
    return text + strcspn(text, ends);
}

static const char *text_of(const struct libc_call *c, char which)
{
    const uint64_t *arg = c->args->at;
    const char *kept =
        which == 'k' ? rt.strtok_next : *(char **)(uintptr_t)arg[which == 'r' ? 2 : 0];
    return which == 'p' || !arg[0] ? kept : (const char *)(uintptr_t)arg[0];
}

static void before(struct libc_call *c, char which)
{
    const char *ends = (const char *)(uintptr_t)c->args->at[1], *text;
    if (which == 'k')
        hidden_touch(c, 'k', true);
    else
        libc_point(c, EV_WRITE_RANGE, (void *)(uintptr_t)c->args->at[which == 'r' ? 2 : 0],
                   sizeof(char *));
    c->args->list[0] = c->args->list[1] = 0;
    text = text_of(c, which);
    if (!text)
        return;
    libc_point(c, EV_READ_RANGE, text, 1);
    text = text_of(c, which);
    const char *end = word_end(text, ends, which != 'p');
    libc_reads(c, text, (uint64_t)(end - text) + 1);
    c->by_content = true;
    libc_point(c, EV_WRITE_RANGE, end, 1);
    text = text_of(c, which);
    end = word_end(text, ends, which != 'p');
    c->args->list[0] = (uint64_t)(uintptr_t)end;
    c->args->list[1] = *end != 0;
}

static void behind(struct libc_call *c, char which)
{
    const char *end = (const char *)(uintptr_t)c->args->list[0];
    bool is_cut = c->args->list[1] && c->result;
    if (is_cut)
        libc_writes(c, end, 1);
    if (which == 'k')
        rt.strtok_next = end + is_cut;
    else
        libc_writes(c, (void *)(uintptr_t)c->args->at[which == 'r' ? 2 : 0], sizeof(char *));
}

void token_tell(struct libc_call *c, char which)
{
    if (c->is_over)
        behind(c, which);
    else
        before(c, which);
}
