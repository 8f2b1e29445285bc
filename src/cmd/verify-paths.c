/* SPDX-License-Identifier: Apache-2.0
 *
 * verify-paths: see verify-paths.h. */
#include "cmd/verify-paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct plain {
    struct arena *mem;
    struct str roots[2]; /* of the copies, with a slash at their end */
};

static void plain_init(struct plain *p, struct arena *mem, const char *store)
{
    static const char *const sides[] = {"before", "after"};
    char real[PATH_MAX];
    *p = (struct plain){.mem = mem};
    for (uint32_t i = 0; i < 2 && realpath(store, real); i++)
        str_add(&p->roots[i], "%s/%s/tree/", real, sides[i]);
}

static void plain_done(struct plain *p)
{
    str_done(&p->roots[0]);
    str_done(&p->roots[1]);
}

/* The first of the copies' roots that the text has; NULL: none. */
static const char *find_root(const struct plain *p, const char *text, size_t *len)
{
    const char *first = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const char *at = p->roots[i].len ? strstr(text, p->roots[i].at) : NULL;
        if (!at || (first && first <= at))
            continue;
        first = at;
        *len = p->roots[i].len;
    }
    return first;
}

static void make_plain(const struct plain *p, const char **text)
{
    AUTO(str) struct str out = {0};
    size_t len = 0;
    const char *rest = *text, *at = find_root(p, rest, &len);
    if (!at)
        return;
    for (; at; at = find_root(p, rest, &len)) {
        str_bytes(&out, rest, (size_t)(at - rest));
        rest = at + len;
    }
    str_add(&out, "%s", rest);
    *text = arena_text(p->mem, out.at, out.len);
}

static void plain_items(const struct plain *p, verify_items *items)
{
    for (uint32_t i = 0; i < items->len; i++) {
        make_plain(p, &items->at[i].what);
        make_plain(p, &items->at[i].why);
    }
}

void verify_paths_plain(struct verify_verdict *v, const char *store)
{
    struct plain p;
    const char **texts[] = {&v->reason, &v->failure,   &v->outcome, &v->details,
                            &v->waits,  &v->violation, &v->missing};
    plain_init(&p, &v->mem, store);
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        make_plain(&p, texts[i]);
    plain_items(&p, &v->proofs);
    plain_items(&p, &v->unreached);
    plain_items(&p, &v->lefts);
    for (uint32_t i = 0; i < v->notes.len; i++)
        make_plain(&p, &v->notes.at[i]);
    for (uint32_t i = 0; i < v->beside.len; i++)
        make_plain(&p, &v->beside.at[i].text);
    plain_done(&p);
}

void finding_paths_plain(struct finding *f, struct arena *mem, const char *store)
{
    struct plain p;
    plain_init(&p, mem, store);
    for (uint32_t i = 0; i < f->threads.len; i++)
        make_plain(&p, &f->threads.at[i].created.file);
    for (uint32_t i = 0; i < f->sites.len; i++)
        make_plain(&p, &f->sites.at[i].file);
    for (uint32_t i = 0; i < f->steps.len; i++) {
        make_plain(&p, &f->steps.at[i].place.file);
        make_plain(&p, &f->steps.at[i].object);
        for (uint32_t k = 0; k < f->steps.at[i].held.len; k++)
            make_plain(&p, &f->steps.at[i].held.at[k]);
    }
    plain_done(&p);
}
