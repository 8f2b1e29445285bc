// SPDX-License-Identifier: Apache-2.0
// How far the work is; everybody may look.
#ifndef PROGRESS_H
#define PROGRESS_H

#include <pthread.h>

extern pthread_mutex_t progress_lock; /* of both */
extern int progress_steps;
extern int progress_errors;

void *copier(void *unused);
void *checker(void *unused);

#endif
