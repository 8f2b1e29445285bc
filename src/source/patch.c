/* SPDX-License-Identifier: Apache-2.0
 *
 * patch: a list of edits, and what a file becomes by them. */
#include "source/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void patch_add(struct patch *p, const char *file, uint32_t offset, uint32_t length,
               const char *text, enum edit_rank rank)
{
    vec_push(&p->edits, (struct edit){.file = arena_text(&p->mem, file, strlen(file)),
                                      .offset = offset,
                                      .length = length,
                                      .text = arena_text(&p->mem, text, strlen(text)),
                                      .rank = (uint8_t)rank});
}

void patch_note(struct patch *p, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (uint32_t i = 0; i < p->notes.len; i++)
        if (strcmp(p->notes.at[i], text) == 0)
            return;
    vec_push(&p->notes, arena_text(&p->mem, text, strlen(text)));
}

void patch_done(struct patch *p)
{
    vec_done(&p->edits);
    vec_done(&p->notes);
    arena_done(&p->mem);
}

/* -1, 0, 1; what the list has first comes first. */
static int by_place(const void *a, const void *b)
{
    const struct edit *const *x = a, *const *y = b;
    if ((*x)->offset != (*y)->offset)
        return (*x)->offset < (*y)->offset ? -1 : 1;
    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    if (((*x)->length == 0) != ((*y)->length == 0))
        return (*x)->length == 0 ? -1 : 1; /* before what is taken away */
    return *x < *y ? -1 : *x > *y;         /* their order in the list */
}

void patch_edits_of(const struct patch *p, const char *file, patch_edits *out)
{
    for (uint32_t i = 0; i < p->edits.len; i++)
        if (strcmp(p->edits.at[i].file, file) == 0)
            vec_push(out, &p->edits.at[i]);
    if (out->len)
        qsort(out->at, out->len, sizeof *out->at, by_place);
}

int patch_apply(const struct patch *p, const char *file, struct text old, struct str *out,
                struct err *err)
{
    patch_edits list = {0};
    patch_edits_of(p, file, &list);
    uint32_t at = 0;
    int failed = 0;
    for (uint32_t i = 0; i < list.len && !failed; i++) {
        const struct edit *e = list.at[i];
        if (e->offset < at || e->offset + e->length > old.len) {
            failed =
                err_set(err, "%s: two edits want the same bytes (at byte %u)", file, e->offset);
            break;
        }
        str_bytes(out, old.at + at, e->offset - at);
        str_bytes(out, e->text, strlen(e->text));
        at = e->offset + e->length;
    }
    if (!failed)
        str_bytes(out, old.at + at, old.len - at);
    vec_done(&list);
    return failed;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void patch_list(const struct patch *p, patch_files *out)
{
    for (uint32_t i = 0; i < p->edits.len; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < out->len; k++)
            is_there |= strcmp(out->at[k], p->edits.at[i].file) == 0;
        if (!is_there)
            vec_push(out, p->edits.at[i].file);
    }
    if (out->len)
        qsort(out->at, out->len, sizeof *out->at, by_name);
}
