/* SPDX-License-Identifier: Apache-2.0
 *
 * render-codequality: what GitLab shows beside a merge request: one object for each finding, in
 * the format of Code Climate. */
#include "base/json.h"
#include "report/report.h"

#include <string.h>

static const char *severity(const struct finding *f)
{
    if (!finding_is_shown(f))
        return "info";
    return f->harm == HARM_NONE ? "major" : harm_ends(f->harm) ? "blocker" : "critical";
}

static void put_finding(struct json *j, const struct finding *f)
{
    static const struct place nowhere = {.file = ""};
    const struct place *p = f->sites.len > 0 ? &f->sites.at[0] : &nowhere;
    const char *path = strncmp(p->file, "./", 2) == 0 ? p->file + 2 : p->file;
    json_open(j, '{');
    JSON_TEXTS(j, {"description", f->message}, {"check_name", pattern_text(f->pattern)},
               {"fingerprint", f->id}, {"severity", severity(f)});
    json_put_open(j, "location", '{');
    json_put_text(j, "path", *path ? path : "unknown");
    json_put_open(j, "lines", '{');
    json_put_u64(j, "begin", p->line > 0 ? p->line : 1);
    json_close(j, '}');
    json_close(j, '}');
    json_close(j, '}');
}

static void render(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '[');
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (opts->all || finding_is_shown(&l->findings.at[i]))
            put_finding(&j, &l->findings.at[i]);
    json_close(&j, ']');
    str_char(out, '\n');
}

const struct renderer render_codequality = {.name = "codequality", .render = render};
