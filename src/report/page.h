/* SPDX-License-Identifier: Apache-2.0
 *
 * page: the parts of the HTML page that are the same in every report; tools/embed makes them
 * from page.css and page.js. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/embedded.h"

extern const struct embedded page_css, page_js;

#endif
