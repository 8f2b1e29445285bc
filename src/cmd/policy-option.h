/* SPDX-License-Identifier: Apache-2.0
 *
 * policy-option: --policy, who runs next. */
#ifndef CMD_POLICY_OPTION_H
#define CMD_POLICY_OPTION_H

#include "base/err.h"

#include <stdbool.h>

/* Is there such a policy? pct:3 is pct of depth 3. The message begins with the command. */
int policy_check(const char *command, const char *policy, struct err *err);
/* Does it need nothing but a seed? */
bool policy_is_alone(const char *policy);

#endif
