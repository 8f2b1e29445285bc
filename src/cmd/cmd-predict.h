/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-predict: what the parts of `heddle predict` share. */
#ifndef CMD_CMD_PREDICT_H
#define CMD_CMD_PREDICT_H

#include "check/check.h"
#include "predict/predict.h"

void print_findings(const struct findings *f, struct str *out);
/* What became of the candidates, pattern by pattern. */
/* By what the candidates of each pattern were excluded: the columns of table 1 of Kahlon and
 * Wang (CAV 2010), with ours behind them; is_run: and how many a run has shown. */
void print_funnel(const struct finding_list *l, bool is_run, struct str *out);
/* How queries were decided. */
void print_stats(const struct predictor *p, struct str *out);

void print_symbolic(const struct symbolic_stat *t); /* on stderr */

#endif
