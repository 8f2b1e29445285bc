/* SPDX-License-Identifier: Apache-2.0
 *
 * jobs: pieces of one work, done by several threads of this process. What a piece reads is
 * shared, what it writes is its own: the outcome is the same for any number of threads. */
#ifndef BASE_JOBS_H
#define BASE_JOBS_H

#include <stdint.h>

/* One piece; `worker` says which thread does it, from 0. */
typedef void (*job_fn)(void *arg, uint32_t worker, uint32_t piece);

/* All pieces are done when it returns. One worker: the caller itself, in order. */
void jobs_run(uint32_t workers, uint32_t pieces, job_fn job, void *arg);
uint32_t jobs_cores(void); /* that this process may use; at least 1 */

#endif
