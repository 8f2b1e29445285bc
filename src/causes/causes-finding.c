/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-finding: what a finding names, as a cause that recipes understand. Its key steps are
 * the steps; which variables they are is looked up in the guard table by their places. */
#include "causes/causes.h"

#include <string.h>

static const char *variable_at(const struct guards *guards, const struct place *p)
{
    for (uint32_t i = 0; i < guards->guards.len; i++)
        for (uint32_t k = 0; k < guards->guards.at[i].uses.len; k++) {
            const struct code_site *s = &guards->guards.at[i].uses.at[k].site;
            if (s->line == p->line && s->column == p->column && strcmp(s->file, p->file) == 0)
                return guards->guards.at[i].variable;
        }
    return p->variable;
}

/* What a step is to a recipe; false: nothing. */
static bool action_of(enum action action, enum cause_action *out)
{
    switch ((int)action) {
    case ACTION_READ:
    case ACTION_ATOMIC_LOAD:
    case ACTION_READ_RANGE:
        *out = CAUSE_READ;
        return true;
    case ACTION_WRITE:
    case ACTION_FREE:
    case ACTION_ATOMIC_STORE:
    case ACTION_RMW:
    case ACTION_CAS:
    case ACTION_WRITE_RANGE:
        *out = CAUSE_WRITE;
        return true;
    default:
        return false;
    }
}

static uint32_t index_of(struct cause *c, const char *variable)
{
    for (uint32_t i = 0; i < c->variable_count; i++)
        if (strcmp(c->variables[i], variable) == 0)
            return i;
    c->variables[c->variable_count] = variable;
    return c->variable_count++;
}

static struct code_site site_of(const struct place *p)
{
    return (struct code_site){.file = p->file,
                              .function = p->function,
                              .name = p->variable,
                              .line = p->line,
                              .column = p->column};
}

static void add_step(struct cause *c, enum cause_action action, uint32_t thread,
                     const struct place *p, const char *variable)
{
    if (c->step_count == CAUSE_STEPS_MAX)
        return;
    c->steps[c->step_count++] = (struct cause_step){.action = action,
                                                    .thread = thread,
                                                    .site = site_of(p),
                                                    .variable = index_of(c, variable)};
}

/* For each thread that waits: the lock that it holds and the next one wants, and its own. */
static void tell_deadlock(struct cause *c, const struct finding *f)
{
    c->kind = CAUSE_DEADLOCK;
    uint32_t thread = 0;
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const struct finding_step *wants = &f->steps.at[i], *held = NULL;
        if (!wants->is_key || wants->action != ACTION_WAITS_FOR)
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (f->steps.at[k].thread == wants->thread && f->steps.at[k].action == ACTION_LOCK)
                held = &f->steps.at[k];
        if (!held)
            continue;
        add_step(c, CAUSE_LOCK, thread, &held->place, held->object);
        add_step(c, CAUSE_WANT, thread, &wants->place, wants->object);
        thread++;
    }
}

static void tell_wakeup(struct cause *c, const struct finding *f)
{
    c->kind = CAUSE_WAKEUP;
    for (uint32_t i = 0; i < f->sites.len; i++) {
        const struct place *p = &f->sites.at[i];
        bool is_wait = strstr(p->variable, "wait") != NULL;
        add_step(c, is_wait ? CAUSE_WAIT : CAUSE_SIGNAL, is_wait, p, p->variable);
    }
}

/* The key steps, or the places where the finding has no step for one: what never came. */
static void tell_accesses(struct cause *c, const struct finding *f, const struct guards *guards)
{
    uint32_t first_thread = NONE;
    for (uint32_t i = 0; i < f->steps.len && c->step_count < 4; i++) {
        const struct finding_step *s = &f->steps.at[i];
        enum cause_action action;
        bool is_destroy = f->pattern == PATTERN_USE_AFTER_DESTROY;
        if (!s->is_key || (!action_of(s->action, &action) && !is_destroy))
            continue;
        if (is_destroy)
            action = s->action == ACTION_DESTROY ? CAUSE_WRITE : CAUSE_READ;
        if (first_thread == NONE)
            first_thread = s->thread;
        add_step(c, action, s->thread != first_thread, &s->place,
                 is_destroy ? s->object : variable_at(guards, &s->place));
    }
    if (c->step_count >= 2)
        return;
    c->step_count = c->variable_count = 0;
    for (uint32_t i = 0; i < f->sites.len && i < 2; i++)
        add_step(c, i ? CAUSE_WRITE : CAUSE_READ, i, &f->sites.at[i],
                 variable_at(guards, &f->sites.at[i]));
}

void causes_of_finding(struct causes *out, const struct finding *f, const struct guards *guards)
{
    struct cause c = {.kind = CAUSE_PATTERN};
    if (f->pattern == PATTERN_FAILURE || !*f->witness)
        return; /* found among the causes of the failing runs */
    if (f->pattern == PATTERN_DEADLOCK)
        tell_deadlock(&c, f);
    else if (f->pattern == PATTERN_LOST_WAKEUP)
        tell_wakeup(&c, f);
    else
        tell_accesses(&c, f, guards);
    if (c.step_count >= 2)
        vec_push(&out->causes, c);
}
