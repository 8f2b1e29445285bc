/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-predict: what the parts of `heddle predict` share. */
#ifndef CMD_CMD_PREDICT_H
#define CMD_CMD_PREDICT_H

#include "predict/predict.h"

void print_findings(const struct findings *f, struct str *out);
/* What became of the candidates, pattern by pattern. */
void print_funnel(const struct findings *f, struct str *out);
/* How queries were decided. */
void print_stats(const struct predictor *p, struct str *out);

#endif
