/* SPDX-License-Identifier: Apache-2.0
 *
 * line-words: lines of words, quoted as a shell would: what str_shell writes is read back, and
 * so is what people write. */
#include "campaign/campaign.h"
#include "campaign/campaign-parts.h"

#include <string.h>

static int missing_quote(struct text line, struct err *err)
{
    return err_set(err, "'%.*s': a quote does not end", TEXT_ARG(line));
}

/* The word that begins at i, up to where it ends. */
static int take_word(struct text line, uint32_t *i, struct str *out, struct err *err)
{
    char quote = 0;
    for (; *i < line.len && (quote || !strchr(" \t", line.at[*i])); ++*i) {
        char c = line.at[*i];
        bool escapes = c == '\\' && quote != '\'' && *i + 1 < line.len;
        if (escapes && quote && !strchr("\"\\$`", line.at[*i + 1]))
            escapes = false;
        if (escapes)
            str_char(out, line.at[++*i]);
        else if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        else
            str_char(out, c);
    }
    return quote ? missing_quote(line, err) : 0;
}

int campaign_split(struct arena *mem, struct text line, campaign_words *out, struct err *err)
{
    AUTO(str) struct str word = {0};
    if (line.len && memchr(line.at, '\n', line.len))
        return err_set(err, "'%.*s...': holds a newline", line.len < 40 ? (int)line.len : 40,
                       line.at);
    for (uint32_t i = 0; i < line.len;) {
        if (strchr(" \t", line.at[i])) {
            i++;
            continue;
        }
        word.len = 0;
        str_add(&word, "%s", "");
        if (take_word(line, &i, &word, err) < 0)
            return -1;
        vec_push(out, arena_text(mem, word.at, word.len));
    }
    return 0;
}

void words_add(struct str *out, const char *word)
{
    if (out->len > 0 && out->at[out->len - 1] != '\n')
        str_char(out, ' ');
    str_shell(out, word);
}

void words_add_all(struct str *out, const campaign_words *words)
{
    for (uint32_t i = 0; i < words->len; i++)
        words_add(out, words->at[i]);
}

bool words_next_line(struct text *rest, struct text *line)
{
    if (rest->len == 0)
        return false;
    const char *end = memchr(rest->at, '\n', rest->len);
    *line = (struct text){rest->at, end ? (uint32_t)(end - rest->at) : rest->len};
    rest->at += line->len + (end != NULL);
    rest->len -= line->len + (end != NULL);
    return true;
}

const char *words_value(const char *word, const char *key)
{
    size_t len = strlen(key);
    return strncmp(word, key, len) == 0 && word[len] == '=' ? word + len + 1 : NULL;
}
