/* SPDX-License-Identifier: Apache-2.0
 *
 * excerpt: the lines of source around the places that findings speak of. */
#ifndef REPORT_EXCERPT_H
#define REPORT_EXCERPT_H

#include "base/json.h"
#include "finding/finding.h"

/* {"FILE": {"LINE": "text", ...}, ...}, for the files that can be read. */
void excerpts_print(const struct finding_list *l, struct json *j);

#endif
