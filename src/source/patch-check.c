/* SPDX-License-Identifier: Apache-2.0
 *
 * patch-check: a patch is looked at by itself, whoever made it: the new text still parses,
 * and is right for the #if groups that the parser does not see, too. */
#include "source/lines.h"

#include <string.h>

int patch_check(const struct patch *p, const struct unit *u, const struct unit_opts *opts,
                struct err *err)
{
    patch_files files = {0};
    VEC(struct source_change) changes = {0};
    VEC(struct str) texts = {0};
    int failed = 0;
    patch_list(p, &files);
    for (uint32_t i = 0; i < files.len && !failed; i++) {
        uint32_t file = unit_file(u, files.at[i]);
        struct str text = {0};
        if (file == NONE)
            continue;
        failed = groups_check(p, &u->files.at[file], err) < 0 ||
                         patch_apply(p, files.at[i], u->files.at[file].text, &text, err) < 0
                     ? -1
                     : 0;
        vec_push(&texts, text);
        vec_push(&changes, (struct source_change){.path = files.at[i],
                                                  .text = {text.at, (uint32_t)text.len}});
    }
    for (uint32_t i = 0; i < opts->change_count; i++) { /* that came before */
        bool is_there = false;
        for (uint32_t k = 0; k < changes.len; k++)
            is_there |= strcmp(changes.at[k].path, opts->changes[i].path) == 0;
        if (!is_there)
            vec_push(&changes, opts->changes[i]);
    }
    struct unit_opts changed = *opts;
    struct unit again = {0};
    changed.changes = changes.at;
    changed.change_count = changes.len;
    if (!failed)
        failed = unit_open(&again, &changed, err);
    if (!failed && again.warnings > u->warnings)
        failed = err_set(err, "%s: the patch brings new warnings", opts->source);
    unit_close(&again);
    for (uint32_t i = 0; i < texts.len; i++)
        str_done(&texts.at[i]);
    vec_done(&texts);
    vec_done(&changes);
    vec_done(&files);
    return failed;
}
