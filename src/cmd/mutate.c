/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate: see mutate.h. The sources are those of the tests: plain calls, one a line, functions
 * that end with a brace in the first column. */
#include "cmd/mutate.h"

#include "base/arena.h"

#include <string.h>

/* Of calls the argument says which unlock belongs to which lock; of a guard its scope does. */
static const struct {
    const char *lock, *unlock;
} words[] = {
    {"pthread_mutex_lock(", "pthread_mutex_unlock("},
    {"pthread_rwlock_wrlock(", "pthread_rwlock_unlock("},
    {"pthread_rwlock_rdlock(", "pthread_rwlock_unlock("},
    {"pthread_spin_lock(", "pthread_spin_unlock("},
    {"mtx_lock(", "mtx_unlock("},
    {"std::lock_guard<", NULL},
    {"std::scoped_lock ", NULL},
};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

static bool begins(const char *at, const char *end, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

/* Comments do not count. */
static const char *next_code(const char *at, const char *end)
{
    if (begins(at, end, "//")) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        return nl ? nl : end;
    }
    return at + 1;
}

static uint32_t lock_at(const char *at, const char *end, const char *before)
{
    bool is_word = at > before && (at[-1] == ' ' || at[-1] == '\t' || at[-1] == '(');
    for (uint32_t i = 0; is_word && i < WORD_COUNT; i++)
        if (begins(at, end, words[i].lock))
            return i;
    return WORD_COUNT;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* Up to the parenthesis that closes the call; a guard goes up to the semicolon. */
static char *call_end(char *at, const char *end)
{
    char *semicolon = memchr(at, ';', (size_t)(end - at));
    return semicolon ? semicolon : at;
}

/* Takes away what gives the lock back, up to where it is taken again or the function ends. */
static bool blank_unlocks(char *at, const char *end, uint32_t word, struct text argument)
{
    for (; at < end && !begins(at, end, "\n}\n"); at++) {
        bool waits = begins(at, end, "cond_wait(") || begins(at, end, "cond_timedwait(");
        const char *stop = waits ? call_end(at, end) : NULL;
        if (waits && memmem(at, (size_t)(stop - at), argument.at, argument.len))
            return false;
        bool locks = begins(at, end, words[word].lock);
        bool unlocks = begins(at, end, words[word].unlock);
        char *given = at + strlen(unlocks ? words[word].unlock : words[word].lock);
        if ((!locks && !unlocks) || !begins(given, end, argument.at))
            continue;
        if (locks)
            return true;
        blank(at, call_end(at, end));
    }
    return true;
}

static uint32_t line_of(const char *start, const char *at)
{
    uint32_t line = 1;
    for (; start < at; start++)
        line += *start == '\n';
    return line;
}

bool mutate(struct text source, uint32_t k, struct str *out, uint32_t *line)
{
    out->len = 0;
    str_bytes(out, source.at, source.len);
    char *end = out->at + out->len;
    *line = 0;
    for (char *at = out->at; at < end; at = (char *)(uintptr_t)next_code(at, end)) {
        uint32_t word = lock_at(at, end, out->at);
        if (word == WORD_COUNT || k-- > 0)
            continue;
        char *stop = call_end(at, end), *first = at + strlen(words[word].lock);
        AUTO(str) struct str argument = {0};
        *line = line_of(out->at, at);
        str_bytes(&argument, first, (size_t)(stop - first));
        blank(at, stop);
        return !words[word].unlock || blank_unlocks(stop, end, word, str_text(&argument));
    }
    return false;
}
