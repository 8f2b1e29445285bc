/* SPDX-License-Identifier: Apache-2.0
 *
 * patch-check: a patch is looked at by itself, whoever made it: the new text still parses. */
#include "source/source.h"

#include <string.h>

int patch_check(const struct patch *p, const struct unit_opts *opts, struct err *err)
{
    patch_files files = {0};
    int failed = 0;
    patch_list(p, &files);
    for (uint32_t i = 0; i < files.len && !failed; i++) {
        AUTO(bytes) struct bytes old = {0};
        AUTO(str) struct str new = {0};
        if (bytes_read(&old, files.at[i], err) < 0 ||
            patch_apply(p, files.at[i], (struct text){(const char *)old.at, (uint32_t)old.len},
                        &new, err) < 0) {
            failed = -1;
            break;
        }
        struct unit_opts changed = *opts;
        struct unit u;
        changed.changed = files.at[i];
        changed.changed_text = (struct text){new.at, (uint32_t)new.len};
        failed = unit_open(&u, &changed, err);
        if (!failed)
            unit_close(&u);
    }
    vec_done(&files);
    return failed;
}
