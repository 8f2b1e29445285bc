/* SPDX-License-Identifier: Apache-2.0
 *
 * atomic-use: what a text does to atomic variables, C11's functions and C++'s methods alike. By
 * the text, as the functions of stdatomic.h are macros. */
#include "source/source.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Which operation the word stands for; false: none. */
static bool read_word(struct text word, bool is_method, enum atomic_does *out)
{
    static const char *const names[] = {[ATOMIC_LOAD] = "load",
                                        [ATOMIC_STORE] = "store",
                                        [ATOMIC_ADD] = "fetch_add",
                                        [ATOMIC_SUB] = "fetch_sub"};
    static const char before[] = "atomic_", behind[] = "_explicit";
    uint32_t head = sizeof before - 1, tail = sizeof behind - 1;
    if (!is_method) {
        if (word.len <= head || memcmp(word.at, before, head) != 0)
            return false;
        word = (struct text){word.at + head, word.len - head};
        if (word.len > tail && memcmp(word.at + word.len - tail, behind, tail) == 0)
            word.len -= tail;
    }
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (text_is(word, text_of(names[i]))) {
            *out = (enum atomic_does)i;
            return true;
        }
    return false;
}

/* Where the expression begins that ends before `end`: "l->ring[i]" of "x = l->ring[i].load". */
static uint32_t postfix_start(struct text t, uint32_t end)
{
    uint32_t at = end;
    int depth = 0;
    while (at > 0) {
        char c = t.at[at - 1];
        depth += c == ')' || c == ']';
        bool is_open = c == '(' || c == '[';
        if (is_open && depth == 0)
            break;
        depth -= is_open;
        bool is_arrow = c == '>' && at > 1 && t.at[at - 2] == '-';
        if (depth == 0 && !is_open && !is_word(c) && c != '.' && !is_arrow)
            break;
        at -= is_arrow ? 2 : 1;
    }
    return at;
}

/* The arguments of the call whose '(' is at `open`; false: it does not end here. */
static bool read_arguments(struct text t, uint32_t open, struct atomic_use *out)
{
    int depth = 0;
    uint32_t from = open + 1;
    out->argument_count = 0;
    for (uint32_t i = open; i < t.len; i++) {
        char c = t.at[i];
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth > 1 || (depth == 1 && c != ','))
            continue;
        struct text one = text_trim((struct text){t.at + from, i - from});
        if (one.len && out->argument_count < ATOMIC_ARGUMENTS)
            out->arguments[out->argument_count++] = one;
        from = i + 1;
        if (depth == 0) {
            out->end = i + 1;
            return true;
        }
    }
    return false;
}

/* Takes the object off the arguments, or off what stands before the method. */
static bool read_object(struct text t, uint32_t word, struct atomic_use *out)
{
    if (!out->is_method) {
        if (out->argument_count == 0)
            return false;
        out->object = out->arguments[0];
        out->argument_count--;
        memmove(out->arguments, out->arguments + 1,
                out->argument_count * sizeof *out->arguments);
        return true;
    }
    uint32_t end = word - (t.at[word - 1] == '.' ? 1 : 2);
    out->start = postfix_start(t, end);
    out->object = (struct text){t.at + out->start, word - out->start}; /* "tokens_." */
    return end > out->start;
}

bool atomic_use_next(struct text t, uint32_t from, struct atomic_use *out)
{
    for (uint32_t i = from; i < t.len;) {
        uint32_t end = i;
        while (end < t.len && is_word(t.at[end]))
            end++;
        if (end == i) {
            i++;
            continue;
        }
        bool is_arrow = i > 1 && t.at[i - 2] == '-' && t.at[i - 1] == '>';
        *out = (struct atomic_use){.start = i,
                                   .is_method = is_arrow || (i > 0 && t.at[i - 1] == '.')};
        if (end < t.len && t.at[end] == '(' &&
            read_word((struct text){t.at + i, end - i}, out->is_method, &out->does) &&
            read_arguments(t, end, out) && read_object(t, i, out) &&
            out->argument_count >= (out->does != ATOMIC_LOAD))
            return true;
        i = end;
    }
    return false;
}

bool atomic_use_whole(struct text t, struct atomic_use *out)
{
    return atomic_use_next(t, 0, out) && out->start == 0 && out->end == t.len;
}
