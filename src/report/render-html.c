/* SPDX-License-Identifier: Apache-2.0
 *
 * render-html: findings as one page (base/html.h). */
#include "report/excerpt.h"
#include "report/page.h"
#include "report/report.h"

#include "base/html.h"

static void put_data(const struct finding_list *l, struct str *out)
{
    finding_list_print(l, out);
    while (out->len > 0 && out->at[out->len - 1] != '}')
        out->len--;
    out->len--; /* the list is an object: two more members follow */
    struct json j = {.out = out, .comma = true};
    json_put_text(&j, "heddle", HEDDLE_VERSION);
    json_key(&j, "excerpts");
    excerpts_print(l, &j);
    str_char(out, '}');
}

static void render(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out)
{
    AUTO(str) struct str data = {0};
    (void)opts;
    put_data(l, &data);
    html_put_page(
        out,
        &(struct html_page){
            .title = "Heddle", .instead = "heddle report", .css = &page_css, .js = &page_js},
        &data);
}

const struct renderer render_html = {.name = "html", .render = render};
