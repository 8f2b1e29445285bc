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

static bool is_told(const struct finding *f, const struct report_opts *opts)
{
    return opts->all || finding_is_shown(f);
}

/* ---- test by test ------------------------------------------------------------------------ */

static void add_failure(const struct finding *f, struct str *out)
{
    AUTO(str) struct str text = {0};
    struct report_opts plain = {.width = 100};
    report_finding(f, &plain, &text);
    str_add(out, "      <failure");
    add_attribute(out, "type", pattern_text(f->pattern));
    add_attribute(out, "message", f->message);
    str_char(out, '>');
    add_escaped(out, text.at);
    str_add(out, "</failure>\n");
}

/* What it found and nobody has accepted. */
static uint32_t add_test(const struct finding_list *l, const struct finding_test *t,
                         const struct report_opts *opts, struct str *out)
{
    AUTO(str) struct str failures = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->ids.len; i++) {
        const struct finding *f = finding_find(l, t->ids.at[i]);
        if (!f || !is_told(f, opts))
            continue;
        add_failure(f, &failures);
        count++;
    }
    str_add(out, "    <testcase");
    add_attribute(out, "name", t->name);
    add_attribute(out, "classname", l->program);
    str_add(out, ">\n%s", failures.at ? failures.at : "");
    if (*t->trouble) {
        str_add(out, "      <system-err>");
        add_escaped(out, t->trouble);
        str_add(out, "</system-err>\n");
    }
    str_add(out, "    </testcase>\n");
    return count > 0;
}

static void render_tests(const struct finding_list *l, const struct report_opts *opts,
                         struct str *out)
{
    AUTO(str) struct str cases = {0};
    uint32_t failures = 0;
    for (uint32_t i = 0; i < l->tests.len; i++)
        failures += add_test(l, &l->tests.at[i], opts, &cases);
    str_add(out, "  <testsuite");
    add_attribute(out, "name", "heddle");
    str_add(out, " tests=\"%u\" failures=\"%u\">\n%s  </testsuite>\n", l->tests.len, failures,
            cases.at ? cases.at : "");
}

static void render(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out)
{
    uint32_t failures = 0;
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    if (l->tests.len > 0) {
        render_tests(l, opts, out);
        str_add(out, "</testsuites>\n");
        return;
    }
    for (uint32_t i = 0; i < l->findings.len; i++)
        failures += is_told(&l->findings.at[i], opts);
    str_add(out, "  <testsuite");
    add_attribute(out, "name", "heddle");
    uint32_t tests = failures + (failures == 0 || l->stopped_early);
    str_add(out, " tests=\"%u\" failures=\"%u\"", tests, failures);
    str_add(out, "%s>\n", l->stopped_early ? " errors=\"1\"" : "");
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (is_told(&l->findings.at[i], opts))
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
