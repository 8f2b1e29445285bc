/* SPDX-License-Identifier: Apache-2.0
 *
 * story: what has one cause is one entry. */
#ifndef CHECK_STORY_H
#define CHECK_STORY_H

#include "finding/finding.h"

/* Of a list that is sorted: findings that are shown, about one object, and have a function in
 * common go under the first of them (`cause`), and so do those all of whose lines it has; a
 * deadlock that is there twice is told once. */
void stories_tell(struct finding_list *l);

#endif
