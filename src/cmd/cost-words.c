/* SPDX-License-Identifier: Apache-2.0
 *
 * cost-words: what a change costs, for people: beside the program as it was. */
#include "cmd/cost-words.h"

bool add_cost_words(struct str *out, const struct verify_cost *before,
                    const struct verify_cost *after)
{
    const struct verify_cost *a = before, *b = after;
    if (b->events == 0)
        return false;
    str_add(out,
            "%llu sections instead of %llu, %llu of %llu events inside (before %llu of "
            "%llu), the longest %llu (%llu), contended %llu times (%llu)",
            (unsigned long long)b->sections, (unsigned long long)a->sections,
            (unsigned long long)b->steps_in_sections, (unsigned long long)b->events,
            (unsigned long long)a->steps_in_sections, (unsigned long long)a->events,
            (unsigned long long)b->longest, (unsigned long long)a->longest,
            (unsigned long long)b->contended, (unsigned long long)a->contended);
    if (b->time_us > 0)
        str_add(out, "; running time %.1f ms instead of %.1f, without Heddle's scheduler",
                (double)b->time_us / 1000, (double)a->time_us / 1000);
    str_add(out, "\n");
    return true;
}
