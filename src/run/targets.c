/* SPDX-License-Identifier: Apache-2.0
 *
 * targets: the sites at which the policy `targeted` likes to switch, from a text with one site
 * a line to the tables that the runtime reads. */
#include "run/run.h"

#include "heddle/guide.h"

#include <string.h>

struct targets {
    VEC(struct guide_site) sites;
    struct str texts;
};

static uint32_t add_text(struct targets *t, struct text text)
{
    uint32_t at = (uint32_t)t->texts.len;
    str_bytes(&t->texts, text.at ? text.at : "", text.len);
    str_char(&t->texts, 0);
    return at;
}

/* Cuts ":NUMBER" off the end; false if there is none. */
static bool cut_number(struct text *t, uint32_t *out)
{
    uint64_t value;
    uint32_t i = t->len;
    while (i > 0 && t->at[i - 1] != ':')
        i--;
    if (i == 0 || !text_number((struct text){t->at + i, t->len - i}, &value) ||
        value > UINT32_MAX)
        return false;
    t->len = i - 1;
    *out = (uint32_t)value;
    return true;
}

/* FILE:LINE or FILE:LINE:COLUMN, and a function if it likes. */
static bool take_line(struct targets *t, struct text line)
{
    struct text place = line, function = {line.at + line.len, 0};
    const char *space = memchr(line.at, ' ', line.len);
    if (space) {
        place.len = (uint32_t)(space - line.at);
        function = (struct text){space + 1, line.len - place.len - 1};
    }
    uint32_t first, second;
    if (!cut_number(&place, &first))
        return false;
    bool has_column = cut_number(&place, &second);
    for (uint32_t i = place.len; i-- > 0;)
        if (place.at[i] == '/') {
            place = (struct text){place.at + i + 1, place.len - i - 1};
            break;
        }
    if (place.len == 0)
        return false;
    struct guide_site s = {.file = add_text(t, place),
                           .function = add_text(t, function),
                           .line = has_column ? second : first,
                           .column = has_column ? first : 0};
    vec_push(&t->sites, s);
    return true;
}

static int take_lines(struct targets *t, const struct bytes *in, const char *name,
                      struct err *err)
{
    const char *at = (const char *)in->at, *end = at + in->len;
    for (uint32_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        struct text text = {at, (uint32_t)(stop - at)};
        at = stop + (stop < end);
        if (text.len > 0 && text.at[0] != '#' && !take_line(t, text))
            return err_set(err, "%s:%u: not a site, as bank.c:14 or bank.c:14:9 withdraw", name,
                           line);
    }
    return t->sites.len > 0 ? 0 : err_set(err, "%s: no sites in it", name);
}

int run_targets(const char *path, const char *out, struct err *err)
{
    AUTO(bytes) struct bytes in = {0};
    AUTO(str) struct str text = {0};
    struct targets t = {0};
    if (bytes_read(&in, path, err) < 0)
        return -1;
    int result = take_lines(&t, &in, path, err);
    if (result == 0) {
        struct guide_head head = {.magic = GUIDE_MAGIC,
                                  .site_count = t.sites.len,
                                  .text_bytes = (uint32_t)t.texts.len};
        str_bytes(&text, (const char *)&head, sizeof head);
        str_bytes(&text, (const char *)t.sites.at, sizeof *t.sites.at * (size_t)t.sites.len);
        str_bytes(&text, t.texts.at, t.texts.len);
        result = file_write(out, text.at, text.len, err);
    }
    vec_done(&t.sites);
    str_done(&t.texts);
    return result;
}
