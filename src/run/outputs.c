/* SPDX-License-Identifier: Apache-2.0
 *
 * outputs: what many runs printed, each text once, with the number of runs that printed it. */
#include "run/run.h"

#include <string.h>

/* Where the text is, or the free slot in which it belongs: two texts with one hash stand behind
 * each other. */
static uint32_t *place_of(struct run_outputs *o, const struct str *text)
{
    for (uint64_t key = hash_bytes(text->at, text->len);; key++) {
        uint32_t *slot = map_at(&o->by_hash, key);
        if (*slot == NONE)
            return slot;
        const struct str *is = &o->all.at[*slot].text;
        if (is->len == text->len && (is->len == 0 || memcmp(is->at, text->at, is->len) == 0))
            return slot;
    }
}

void run_outputs_add(struct run_outputs *o, struct str *text)
{
    uint32_t *slot = place_of(o, text);
    if (*slot == NONE) {
        *slot = o->all.len;
        vec_push(&o->all, (struct run_output){.text = *text});
        *text = (struct str){0};
    }
    o->all.at[*slot].count++;
    text->len = 0;
}

void run_outputs_done(struct run_outputs *o)
{
    for (uint32_t i = 0; i < o->all.len; i++)
        str_done(&o->all.at[i].text);
    vec_done(&o->all);
    map_done(&o->by_hash);
}
