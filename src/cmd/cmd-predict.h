/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-predict: what the parts of `heddle predict` share. */
#ifndef CMD_CMD_PREDICT_H
#define CMD_CMD_PREDICT_H

#include "predict/predict.h"

typedef VEC(struct predicted) predicted_list;

int predicted_order(const void *left, const void *right); /* for qsort: kind, then events */
void print_findings(const struct model *m, const predicted_list *found, struct str *out);
void print_findings_json(const struct model *m, enum mode mode, const predicted_list *found,
                         struct str *out);

#endif
