/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-campaign: what the files of `heddle campaign` share. */
#ifndef CMD_CMD_CAMPAIGN_H
#define CMD_CMD_CAMPAIGN_H

#include "campaign/campaign.h"
#include "cmd/cmd-report.h"
#include "cmd/options.h"

struct campaign_opts {
    struct format_opts format;
    option_texts tests, inputs, patches, mutants, traces;
    const char *tests_from, *policies, *slurm;
    uint64_t runs, time_s, timeout_s, check_s, chunks, memory_mb, jobs, throttle;
    unsigned engine; /* as the choices of --on count, from 1 */
    bool go_on, dry_run, missing, hosts;
};

enum { ON_LOCAL = 1, ON_SLURM };

/* rest: the words behind --, NULL ends. Each returns an exit code. */
int campaign_plan_new(const struct campaign_opts *o, const char *directory, char **rest);
int campaign_print_report(const struct campaign_opts *o, const struct campaign *c);
int campaign_print_status(const struct campaign *c);

#endif
