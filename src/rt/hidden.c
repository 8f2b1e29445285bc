/* SPDX-License-Identifier: Apache-2.0
 *
 * hidden: memory of the C library's own that is no thread's, and that no lock guards: where
 * functions which are not safe to call from several threads keep their state. To whoever looks
 * for races it is memory like any other, with a name. */
#include "rt/libc.h"

#include <assert.h>

static const struct {
    char letter;
    const char *text;
} states[HIDDEN_COUNT] = {
#define HIDDEN_STATE(letter, name, text) {letter, text},
#include "rt/hidden.def"
#undef HIDDEN_STATE
};

static_assert((int)HIDDEN_COUNT <= (int)HIDDEN_MAX,
              "rt.hiding.hidden has room for all of them");

static uint32_t index_of(char letter)
{
    uint32_t i = 0;
    while (i + 1 < HIDDEN_COUNT && states[i].letter != letter)
        i++;
    return i;
}

/* Its name is told when it is first met. */
static void name_memory(uint32_t state, const void *addr, uint64_t len)
{
    uint64_t at = (uint64_t)(uintptr_t)addr;
    const char *text = states[state].text;
    struct def_object o = {.class = WORD_VALUE(CLASS, MEMORY),
                           .addr = at,
                           .size = len,
                           .name = {text, (uint32_t)__builtin_strlen(text)}};
    if (!rt.recording || rt.hiding.hidden_at[state] == at)
        return;
    trace_put_object(&rt.trace, &o);
    rt.hiding.hidden_at[state] = at;
}

/* A word stands for it: how often it has changed. */
void hidden_touch(struct libc_call *c, char letter, bool is_write)
{
    uint32_t i = index_of(letter);
    uint64_t *word = &rt.hiding.hidden[i];
    name_memory(i, word, sizeof *word);
    if (!is_write) {
        __heddle_read8(word, c->site);
        return;
    }
    uint64_t value = *word + 1;
    __heddle_write8(word, value, c->site);
    *word = value;
}

void hidden_result(char letter, const void *addr, uint64_t len)
{
    name_memory(index_of(letter), addr, len);
}
