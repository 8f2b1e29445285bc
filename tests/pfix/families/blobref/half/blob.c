// SPDX-License-Identifier: Apache-2.0
#include "blob.h"

#include <stdlib.h>
#include <string.h>

static atomic_int made, freed;

struct blob *blob_new(const char *text)
{
    struct blob *b = malloc(sizeof *b);
    if (b == NULL)
        abort();
    b->size = strlen(text);
    b->data = malloc(b->size + 1);
    if (b->data == NULL)
        abort();
    memcpy(b->data, text, b->size + 1);
    atomic_init(&b->refs, 1);
    atomic_fetch_add(&made, 1);
    return b;
}

struct blob *blob_get(struct blob *b)
{
    atomic_fetch_add(&b->refs, 1);
    return b;
}

static void blob_free(struct blob *b)
{
    atomic_fetch_add(&freed, 1);
    free(b->data);
    free(b);
}

void blob_put(struct blob *b)
{
    if (atomic_load(&b->refs) == 1)
        blob_free(b);
    else
        atomic_fetch_sub(&b->refs, 1);
}

int blob_made(void)
{
    return atomic_load(&made);
}

int blob_freed(void)
{
    return atomic_load(&freed);
}
