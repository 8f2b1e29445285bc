/* SPDX-License-Identifier: Apache-2.0
 *
 * report: findings laid out for a terminal, for a program and for the eye. No logic, only
 * layout: the same finding has the same words and the same id in every renderer. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "finding/finding.h"

struct report_opts {
    uint32_t width; /* of the terminal; 0: 80 */
    bool colour;
    bool all; /* also what is not shown by default */
};

struct renderer {
    const char *name;
    void (*render)(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out);
};

extern const struct renderer render_text, render_json, render_sarif, render_html, render_junit,
    render_codequality;

/* One finding in at most 25 lines. */
void report_finding(const struct finding *f, const struct report_opts *opts, struct str *out);

#endif
