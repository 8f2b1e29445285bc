/* SPDX-License-Identifier: Apache-2.0
 *
 * each-test: `heddle check --each-test`: the tests of a GoogleTest or Catch2 program, each as a
 * program of its own. */
#ifndef CMD_EACH_TEST_H
#define CMD_EACH_TEST_H

#include "finding/finding.h"

/* options: the words of the command line before `--`, without those that say what is to be done
 * with the result. argv: the program and its arguments. out gets what all of them found, and
 * which test found what. An exit code, if it cannot go on; else 0. */
int each_test(struct finding_list *out, char *const *options, uint32_t option_count,
              char *const *argv);

#endif
