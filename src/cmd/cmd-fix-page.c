/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-page: a repair for editors (SARIF with `fixes`) and for a browser: the diff beside
 * the schedule that it takes away. */
#include "cmd/fix-told.h"

#include "base/io.h"
#include "base/json.h"

#include <string.h>

/* ---- SARIF ------------------------------------------------------------------------------ */

static void json_field(struct json *j, const char *key, const char *value)
{
    json_key(j, key);
    json_text(j, text_of(value));
}

static void json_message(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_open(j, '{');
    json_field(j, "text", text);
    json_close(j, '}');
}

static void add_file_uri(struct json *j, const char *path)
{
    AUTO(str) struct str uri = {0};
    str_add(&uri, "file://%s", path);
    json_key(j, "artifactLocation");
    json_open(j, '{');
    json_field(j, "uri", uri.at);
    json_close(j, '}');
}

static void add_replacements(struct json *j, const struct patch *p, const char *file)
{
    json_key(j, "replacements");
    json_open(j, '[');
    for (uint32_t i = 0; i < p->edits.len; i++) {
        const struct edit *e = &p->edits.at[i];
        if (strcmp(e->file, file) != 0)
            continue;
        json_open(j, '{');
        json_key(j, "deletedRegion");
        json_open(j, '{');
        json_key(j, "byteOffset");
        json_u64(j, e->offset);
        json_key(j, "byteLength");
        json_u64(j, e->length);
        json_close(j, '}');
        json_message(j, "insertedContent", e->text);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void add_fix(struct json *j, const struct fix_candidate *c)
{
    patch_files files = {0};
    patch_list(&c->patch, &files);
    json_open(j, '{');
    json_message(j, "description", c->why);
    json_key(j, "artifactChanges");
    json_open(j, '[');
    for (uint32_t i = 0; i < files.len; i++) {
        json_open(j, '{');
        add_file_uri(j, files.at[i]);
        add_replacements(j, &c->patch, files.at[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
    vec_done(&files);
}

static void add_locations(struct json *j, const struct fix_told *t,
                          const struct fix_candidate *c)
{
    const struct fix_cause *cause = &t->causes->causes.at[c->cause];
    json_key(j, "locations");
    json_open(j, '[');
    for (uint32_t i = 0; i < cause->step_count; i++) {
        json_open(j, '{');
        json_key(j, "physicalLocation");
        json_open(j, '{');
        add_file_uri(j, cause->steps[i].site.file);
        json_key(j, "region");
        json_open(j, '{');
        json_key(j, "startLine");
        json_u64(j, cause->steps[i].site.line ? cause->steps[i].site.line : 1);
        json_close(j, '}');
        json_close(j, '}');
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void add_result(struct json *j, const struct fix_told *t, const struct fix_candidate *c)
{
    json_open(j, '{');
    json_field(j, "ruleId", t->told ? t->told->pattern : "failure");
    json_field(j, "level", "error");
    json_message(j, "message", t->told ? t->told->message : c->why);
    add_locations(j, t, c);
    json_key(j, "fixes");
    json_open(j, '[');
    for (uint32_t i = 0; i < t->repair->candidates.len; i++)
        if (t->repair->candidates.at[i].state == FIX_PROVEN)
            add_fix(j, &t->repair->candidates.at[i]);
    json_close(j, ']');
    json_close(j, '}');
}

void fix_print_sarif(const struct fix_told *t, struct str *out)
{
    struct json j = {.out = out};
    const struct fix_candidate *c = best_of(t);
    json_open(&j, '{');
    json_field(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_field(&j, "version", "2.1.0");
    json_key(&j, "runs");
    json_open(&j, '[');
    json_open(&j, '{');
    json_key(&j, "tool");
    json_open(&j, '{');
    json_key(&j, "driver");
    json_open(&j, '{');
    json_field(&j, "name", "Heddle");
    json_field(&j, "version", HEDDLE_VERSION);
    json_close(&j, '}');
    json_close(&j, '}');
    json_key(&j, "results");
    json_open(&j, '[');
    if (c)
        add_result(&j, t, c);
    json_close(&j, ']');
    json_close(&j, '}');
    json_close(&j, ']');
    json_close(&j, '}');
    str_char(out, '\n');
}

/* ---- a page ----------------------------------------------------------------------------- */

static void add_escaped(struct str *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        switch (text[i]) {
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
            str_char(out, text[i]);
        }
}

static void add_text(struct str *out, const char *text)
{
    add_escaped(out, text, strlen(text));
}

static void add_diff(struct str *out, const struct fix_candidate *c)
{
    str_add(out, "<pre class=diff>");
    for (size_t i = 0; c->diff.at && i < c->diff.len;) {
        const char *line = c->diff.at + i;
        size_t len = strcspn(line, "\n");
        const char *class = line[0] == '+'   ? "add"
                            : line[0] == '-' ? "cut"
                            : line[0] == '@' ? "at"
                                             : "same";
        str_add(out, "<span class=%s>", class);
        add_escaped(out, line, len);
        str_add(out, "</span>\n");
        i += len + 1;
    }
    str_add(out, "</pre>\n");
}

static void add_row(struct str *out, uint32_t thread, const struct place *p, const char *action,
                    const char *object, const char *value)
{
    const char *slash = strrchr(p->file, '/');
    str_add(out, "<tr><td>T%u</td><td>", thread);
    add_text(out, slash ? slash + 1 : p->file);
    str_add(out, ":%u</td><td>%s ", p->line, action);
    add_text(out, object);
    if (*value) {
        str_add(out, " = ");
        add_text(out, value);
    }
    str_add(out, "</td></tr>\n");
}

static void add_schedule(struct str *out, const struct fix_told *t,
                         const struct fix_candidate *c)
{
    const struct fix_cause *cause = &t->causes->causes.at[c->cause];
    str_add(out, "<table><tr><th>thread<th>place<th>step</tr>\n");
    for (uint32_t i = 0; t->told && i < t->told->steps.len; i++) {
        const struct told_step *s = &t->told->steps.at[i];
        add_row(out, s->thread, &s->place, s->action, s->object, s->value);
    }
    for (uint32_t i = 0; !t->told && i < cause->step_count; i++) {
        const struct fix_step *s = &cause->steps[i];
        struct place p = {.file = s->site.file, .line = s->site.line};
        add_row(out, s->thread, &p, fix_action_text(s->action), s->site.name, "");
    }
    str_add(out, "</table>\n");
}

int fix_write_page(const struct fix_told *t, const char *path, struct err *err)
{
    AUTO(str) struct str out = {0};
    const struct fix_candidate *c = best_of(t);
    str_add(&out,
            "<!doctype html>\n<html lang=en><meta charset=utf-8><title>heddle fix</title>\n"
            "<style>body{font:15px/1.4 sans-serif;margin:2em}main{display:flex;gap:2em;"
            "flex-wrap:wrap}pre,table{font:13px/1.5 monospace}td,th{padding:0 1em 0 0;"
            "text-align:left}.add{color:#060}.cut{color:#a00}.at{color:#666}</style>\n<h1>");
    add_text(&out, t->program);
    str_add(&out, ": ");
    add_text(&out, c ? fix_state_text(c->state) : "no");
    str_add(&out, " patch</h1>\n");
    if (c) {
        str_add(&out, "<p>");
        add_text(&out, c->why);
        str_add(&out, "</p>\n<main><section><h2>The patch</h2>\n");
        add_diff(&out, c);
        str_add(&out, "</section><section><h2>The schedule it takes away</h2>\n");
        add_schedule(&out, t, c);
        str_add(&out, "</section><section><h2>The proof</h2><ul>\n");
        for (uint32_t i = 0; i < c->log.len; i++) {
            str_add(&out, "<li>");
            add_text(&out, c->log.at[i]);
            str_add(&out, "\n");
        }
        str_add(&out, "</ul></section></main>\n");
    }
    str_add(&out, "</html>\n");
    return file_write(path, out.at, out.len, err);
}
