/* SPDX-License-Identifier: Apache-2.0
 *
 * html: see html.h. */
#include "base/html.h"

/* Nothing in it may end the script element, as "</" would. */
static void put_data(struct str *out, const struct str *data)
{
    for (size_t i = 0; i < data->len; i++)
        if (data->at[i] == '<')
            str_add(out, "\\u003c");
        else
            str_char(out, data->at[i]);
}

void html_put_page(struct str *out, const struct html_page *p, const struct str *data)
{
    str_add(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; "
            "form-action 'none'\">\n"
            "<title>%s</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>",
            p->css->hash, p->js->hash, p->title);
    str_bytes(out, p->css->bytes.at, p->css->bytes.len);
    str_add(out,
            "</style>\n</head>\n<body>\n<main id=\"page\"><noscript>This page needs "
            "JavaScript; %s prints the same as text.</noscript></main>\n"
            "<script type=\"application/json\" id=\"data\">",
            p->instead);
    put_data(out, data);
    str_add(out, "</script>\n<script>");
    str_bytes(out, p->js->bytes.at, p->js->bytes.len);
    str_add(out, "</script>\n</body>\n</html>\n");
}
