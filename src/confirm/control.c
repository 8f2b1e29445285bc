/* SPDX-License-Identifier: Apache-2.0
 *
 * control: see control.h. Output that depends on the order of threads anyway, or on how long
 * things take, is nobody's harm: the runs that tell are made once, when the first finding needs
 * them. */
#include "confirm/control.h"

#include "base/same-lines.h"

#include <string.h>

enum { TURNS_RUNS = 10, PACE_NS = 137 /* not the usual 100 */ };

/* ---- runs in turns --------------------------------------------------------------------- */

static bool prints_same(struct text recorded, const char *directory)
{
    AUTO(str) struct str own = {0};
    return run_printed(&own, directory) && lines_same(recorded, str_text(&own), NULL);
}

static bool run_in_turns(const struct confirm_opts *o, struct text recorded, uint32_t number)
{
    AUTO(str) struct str directory = {0};
    struct run_result r = {0};
    struct run_opts run = o->run;
    struct err ignored;
    run.policy = "turns";
    run.guide = NULL;
    run.seed += number;
    run.pace_ns = number % 2 ? PACE_NS : 0;
    run.no_trace = true;
    str_add(&directory, "%s/turns-%u", o->store, number + 1);
    run_remove(directory.at);
    bool same = run_make_directory(directory.at, &ignored) == 0 &&
                run_target(&r, o->argv, directory.at, &run, &ignored) == 0 &&
                !run_unjudged(&r) && prints_same(recorded, directory.at);
    run_result_done(&r);
    run_remove(directory.at);
    return same;
}

static bool prints_the_same_in_turns(const struct confirm_opts *o, struct text recorded)
{
    enum confirm_output unused = OUTPUT_UNKNOWN, *output = o->output ? o->output : &unused;
    for (uint32_t i = 0; *output == OUTPUT_UNKNOWN && i < TURNS_RUNS && !run_signal(); i++)
        if (!run_in_turns(o, recorded, i) && !run_signal())
            *output = OUTPUT_DIFFERS;
    if (run_signal()) /* what was cut short says nothing */
        return false;
    if (*output == OUTPUT_UNKNOWN)
        *output = OUTPUT_SAME;
    return *output == OUTPUT_SAME;
}

bool control_prints_otherwise(const struct confirm_opts *o, const char *run, struct str *why)
{
    AUTO(str) struct str before = {0}, after = {0};
    if (!run_printed(&before, o->recorded) || !run_printed(&after, run))
        return false;
    struct text other = lines_new(str_text(&before), str_text(&after));
    bool is_harm = other.at && prints_the_same_in_turns(o, str_text(&before));
    if (is_harm)
        str_add(why, "it prints something else: %.*s", TEXT_ARG(other));
    return is_harm;
}

/* ---- the other order ------------------------------------------------------------------- */

/* Two steps change places; of three, the one between goes behind the others. Of two that stand
 * side by side either order is the violation, but harm that comes in both is not of its doing:
 * it comes of what these threads do before or behind. */
bool control_turn_round(struct witness_file *out, const struct witness_file *w)
{
    uint32_t key[3], count = 0;
    for (uint32_t i = 0; i < w->lines.len; i++) {
        if (w->lines.at[i].how != WITNESS_RUN && count < 3)
            key[count] = i;
        count += w->lines.at[i].how != WITNESS_RUN;
    }
    if (count != 2 && count != 3)
        return false;
    out->lines.len = w->lines.len;
    memcpy(out->lines.at, w->lines.at, w->lines.len * sizeof *w->lines.at);
    struct witness_line *last = &out->lines.at[key[count - 1]], moved = *last;
    *last = out->lines.at[key[count - 2]];
    out->lines.at[key[count - 2]] = moved;
    return last->thr != moved.thr;
}
