/* SPDX-License-Identifier: Apache-2.0
 *
 * html: a page that needs nothing else: no network, no other file. Its policy allows exactly
 * the script and the style that it carries, by their hashes; what comes from the target is data
 * for the script, never markup. */
#ifndef BASE_HTML_H
#define BASE_HTML_H

#include "base/embedded.h"

struct html_page {
    const char *title;
    const char *instead; /* the command that prints the same as text */
    const struct embedded *css, *js;
};

/* data: JSON. */
void html_put_page(struct str *out, const struct html_page *p, const struct str *data);

#endif
