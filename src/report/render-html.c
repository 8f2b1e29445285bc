/* SPDX-License-Identifier: Apache-2.0
 *
 * render-html: one page that needs nothing else: no network, no other file. Its policy allows
 * exactly the script and the style that it carries, by their hashes; what comes from the target
 * is data, never markup. */
#include "report/excerpt.h"
#include "report/page.h"
#include "report/report.h"

static void add_data(const struct finding_list *l, struct str *out)
{
    AUTO(str) struct str text = {0};
    finding_list_print(l, &text);
    while (text.len > 0 && text.at[text.len - 1] != '}')
        text.len--;
    text.len--; /* the list is an object: two more members follow */
    struct json j = {.out = &text, .comma = true};
    json_put_text(&j, "heddle", HEDDLE_VERSION);
    json_key(&j, "excerpts");
    excerpts_print(l, &j);
    str_char(&text, '}');
    for (size_t i = 0; i < text.len; i++) { /* nothing in it may end the script element */
        if (text.at[i] == '<')
            str_add(out, "\\u003c");
        else
            str_char(out, text.at[i]);
    }
}

static void render(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out)
{
    (void)opts;
    str_add(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; "
            "form-action 'none'\">\n"
            "<title>Heddle</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>",
            page_css.hash, page_js.hash);
    str_bytes(out, page_css.bytes.at, page_css.bytes.len);
    str_add(out, "</style>\n</head>\n<body>\n<main id=\"page\"><noscript>This page needs "
                 "JavaScript; heddle report prints the same as text.</noscript></main>\n"
                 "<script type=\"application/json\" id=\"data\">");
    add_data(l, out);
    str_add(out, "</script>\n<script>");
    str_bytes(out, page_js.bytes.at, page_js.bytes.len);
    str_add(out, "</script>\n</body>\n</html>\n");
}

const struct renderer render_html = {.name = "html", .render = render};
