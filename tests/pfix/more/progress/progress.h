// SPDX-License-Identifier: Apache-2.0
// How far the work is; everybody may look.
#ifndef PROGRESS_H
#define PROGRESS_H

extern int progress_steps;
extern int progress_errors;

void *copier(void *unused);
void *checker(void *unused);

#endif
