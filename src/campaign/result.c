/* SPDX-License-Identifier: Apache-2.0
 *
 * result: what a unit came to, in one file: a few lines, then stretches of bytes by name.
 *
 *     heddle-result 1
 *     unit 17 9b2c...        number, hash of its line
 *     code 1                 its command ended with
 *     host n2 1234           and milliseconds: in no report
 *     part findings 4711
 *     ... 4711 bytes
 *     end
 */
#include "campaign/campaign-parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RESULT_HEAD "heddle-result 1"

void result_print(struct str *out, const struct result *r)
{
    str_add(out, RESULT_HEAD "\nunit %llu %016llx\ncode %d\nhost ", (unsigned long long)r->unit,
            (unsigned long long)r->hash, r->exit);
    str_shell(out, r->host);
    str_add(out, " %llu\n", (unsigned long long)r->ms);
    for (uint32_t i = 0; i < r->parts.len; i++) {
        const struct result_part *p = &r->parts.at[i];
        str_add(out, "part ");
        str_shell(out, p->name);
        str_add(out, " %u\n", p->data.len);
        str_bytes(out, p->data.at, p->data.len);
        str_char(out, '\n');
    }
    str_add(out, "end\n");
}

static bool take_part(struct result *r, const campaign_words *w, struct text *rest)
{
    uint64_t len;
    if (w->len != 3 || !text_number(text_of(w->at[2]), &len) || len >= rest->len ||
        rest->at[len] != '\n')
        return false;
    vec_push(&r->parts, (struct result_part){w->at[1], {rest->at, (uint32_t)len}});
    rest->at += len + 1;
    rest->len -= (uint32_t)len + 1;
    return true;
}

static bool take_line(struct result *r, const campaign_words *w, struct text *rest)
{
    uint64_t n = 0;
    const char *key = w->len > 1 ? w->at[0] : "";
    if (strcmp(key, "unit") == 0 && w->len == 3) {
        r->hash = strtoull(w->at[2], NULL, 16);
        return text_number(text_of(w->at[1]), &r->unit);
    }
    if (strcmp(key, "code") == 0 && text_number(text_of(w->at[1]), &n)) {
        r->exit = (int)n;
        return n < 256;
    }
    if (strcmp(key, "host") == 0 && w->len == 3) {
        r->host = w->at[1];
        return text_number(text_of(w->at[2]), &r->ms);
    }
    return strcmp(key, "part") == 0 && take_part(r, w, rest);
}

static bool take_lines(struct result *r, struct text rest)
{
    struct text line;
    if (!words_next_line(&rest, &line) || !text_is(line, TEXT(RESULT_HEAD)))
        return false;
    while (words_next_line(&rest, &line)) {
        campaign_words words = {0};
        struct err ignored;
        if (text_is(line, TEXT("end")))
            return true;
        bool good =
            campaign_split(&r->mem, line, &words, &ignored) == 0 && take_line(r, &words, &rest);
        vec_done(&words);
        if (!good)
            return false;
    }
    return false;
}

int result_read(struct result *out, const char *path, struct err *err)
{
    AUTO(result) struct result r = {.host = ""};
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 1;
    if (bytes_read(&r.file, path, err) < 0)
        return -1;
    struct text all = {(const char *)r.file.at, (uint32_t)r.file.len};
    if (r.file.len > UINT32_MAX || !take_lines(&r, all))
        return err_set(err, "%s: damaged; take it away, and it is made again", path);
    *out = r;
    r = (struct result){0};
    return 0;
}

void result_done(struct result *r)
{
    bytes_done(&r->file);
    vec_done(&r->parts);
    arena_done(&r->mem);
}

const struct text *result_part(const struct result *r, const char *name)
{
    for (uint32_t i = 0; i < r->parts.len; i++)
        if (strcmp(r->parts.at[i].name, name) == 0)
            return &r->parts.at[i].data;
    return NULL;
}
