/* SPDX-License-Identifier: Apache-2.0
 *
 * overview: the parts of the page of a run that are the same for every run. */
#ifndef TRACE_OVERVIEW_H
#define TRACE_OVERVIEW_H

#include "base/embedded.h"

extern const struct embedded overview_css, overview_js;

#endif
