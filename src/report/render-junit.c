/* SPDX-License-Identifier: Apache-2.0
 *
 * render-junit: JUnit XML for CI systems: one test case per finding, failed if it is shown; a
 * program without findings is one case that passed. */
#include "report/report.h"

/* Characters that XML 1.0 does not allow become '?'. */
static void add_escaped(struct str *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case '<':
            str_add(out, "&lt;");
            break;
        case '>':
            str_add(out, "&gt;");
            break;
        case '&':
            str_add(out, "&amp;");
            break;
        case '"':
            str_add(out, "&quot;");
            break;
        default:
            str_char(out, (unsigned char)*p < 0x20 && *p != '\n' && *p != '\t' ? '?' : *p);
        }
    }
}

static void add_attribute(struct str *out, const char *name, const char *value)
{
    str_add(out, " %s=\"", name);
    add_escaped(out, value);
    str_char(out, '"');
}

static void add_case(const struct finding *f, const char *program, struct str *out)
{
    AUTO(str) struct str text = {0};
    struct report_opts plain = {.width = 100};
    report_finding(f, &plain, &text);
    str_add(out, "    <testcase");
    add_attribute(out, "name", f->id);
    add_attribute(out, "classname", program);
    str_add(out, ">\n      <failure");
    add_attribute(out, "type", pattern_text(f->pattern));
    add_attribute(out, "message", f->message);
    str_char(out, '>');
    add_escaped(out, text.at);
    str_add(out, "</failure>\n    </testcase>\n");
}

static void add_stopped(const struct finding_list *l, struct str *out)
{
    AUTO(str) struct str why = {0}, left = {0};
    stopped_say(&why, l);
    for (uint32_t i = 0; i < l->undone.len; i++) {
        undone_say(&left, &l->undone.at[i]);
        str_char(&left, '\n');
    }
    str_add(out, "    <testcase");
    add_attribute(out, "name", "stopped early");
    add_attribute(out, "classname", l->program);
    str_add(out, ">\n      <error");
    add_attribute(out, "message", why.at);
    str_char(out, '>');
    add_escaped(out, left.at ? left.at : "");
    str_add(out, "</error>\n    </testcase>\n");
}

static void render(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out)
{
    uint32_t failures = 0;
    for (uint32_t i = 0; i < l->findings.len; i++)
        failures += opts->all || finding_is_shown(&l->findings.at[i]);
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    add_attribute(out, "name", "heddle");
    uint32_t tests = failures + (failures == 0 || l->stopped_early);
    str_add(out, " tests=\"%u\" failures=\"%u\"", tests, failures);
    str_add(out, "%s>\n", l->stopped_early ? " errors=\"1\"" : "");
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (opts->all || finding_is_shown(&l->findings.at[i]))
            add_case(&l->findings.at[i], l->program, out);
    if (l->stopped_early)
        add_stopped(l, out);
    if (failures == 0 && !l->stopped_early) {
        str_add(out, "    <testcase");
        add_attribute(out, "name", "no findings");
        add_attribute(out, "classname", l->program);
        str_add(out, "/>\n");
    }
    str_add(out, "  </testsuite>\n</testsuites>\n");
}

const struct renderer render_junit = {.name = "junit", .render = render};
