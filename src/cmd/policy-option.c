/* SPDX-License-Identifier: Apache-2.0
 *
 * policy-option: see policy-option.h. */
#include "cmd/policy-option.h"

#include "base/str.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum policy_takes { TAKES_NOTHING, TAKES_DEPTH, TAKES_ALL };
enum policy_who { FOR_ANYBODY, FOR_KNOWING, FOR_INSIDE };

static const struct {
    const char *name;
    enum policy_takes takes;
    enum policy_who who;
} policies[] = {
#define POLICY(name, takes, who, meaning) {#name, TAKES_##takes, FOR_##who},
#include "heddle/policy.def"
#undef POLICY
};
enum { POLICIES = sizeof policies / sizeof *policies };

static int no_policy(const char *command, const char *policy, struct err *err)
{
    AUTO(str) struct str list = {0};
    uint32_t left = 0;
    for (uint32_t i = 0; i < POLICIES; i++)
        left += policies[i].who == FOR_ANYBODY;
    for (uint32_t i = 0; i < POLICIES; i++)
        if (policies[i].who == FOR_ANYBODY)
            str_add(&list, "%s%s%s", policies[i].name,
                    policies[i].takes == TAKES_DEPTH ? ":D" : "",
                    --left > 1 ? ", "
                    : left     ? " and "
                               : "");
    return err_set(err, "%s: no policy '%s'; there are %s", command, policy, list.at);
}

int policy_check(const char *command, const char *policy, struct err *err)
{
    size_t len = strcspn(policy, ":");
    const char *depth = policy + len;
    uint32_t i = 0;
    while (i < POLICIES && (policies[i].who == FOR_INSIDE || strlen(policies[i].name) != len ||
                            strncmp(policies[i].name, policy, len) != 0))
        i++;
    if (i == POLICIES)
        return no_policy(command, policy, err);
    if (!*depth || (policies[i].takes == TAKES_ALL && strcmp(depth, ":all") == 0))
        return 0;
    if (policies[i].takes == TAKES_ALL && strlen(depth) == 2 && strchr("0123456789", depth[1]))
        return 0;
    if (policies[i].takes != TAKES_DEPTH)
        return err_set(err, "%s: --policy %s: only pct takes a number, as in pct:3", command,
                       policy);
    if (strspn(depth + 1, "0123456789") != strlen(depth + 1) ||
        strtoul(depth + 1, NULL, 10) == 0)
        return err_set(err,
                       "%s: --policy %s: a number from 1 on goes behind the colon, as in pct:3",
                       command, policy);
    return 0;
}

bool policy_is_alone(const char *policy)
{
    static const char *const alone[] = {"fifo", "random", "pct", "pos", "rr"};
    size_t len = strcspn(policy, ":");
    for (uint32_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (strlen(alone[i]) == len && strncmp(alone[i], policy, len) == 0)
            return true;
    return false;
}
