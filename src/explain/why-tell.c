/* SPDX-License-Identifier: Apache-2.0
 *
 * why-tell: the reason why two accesses cannot happen at once, as lines that a person reads
 * from top to bottom. */
#include "explain/why-not.h"

/* ---- names ----------------------------------------------------------------------------- */

static struct place place_of(struct why_not *out, const struct model *m, ev_id e)
{
    return place_of_site(&out->mem, &m->trace->sites.at[model_site(m, e)]);
}

static void add_object(struct str *out, const struct model *m, ev_id e)
{
    str_add(out, " '");
    if (model_touches(m, e))
        cell_name(out, m, model_cells(m, e).first);
    else
        sync_name(out, m, m->obj[e]);
    str_char(out, '\'');
}

static const char *verb(const struct model *m, ev_id e)
{
    switch (m->ev[e].kind) {
    case EV_FREE:
        return "frees";
    case EV_STACK_LEAVE:
        return "leaves the frame of";
    case EV_ACQUIRE:
        return "locks";
    case EV_RELEASE:
        return m->ev[e].detail & FLAG(WAITING) ? "waits, giving back" : "unlocks";
    case EV_SIGNAL:
        return "signals";
    case EV_BROADCAST:
        return "broadcasts";
    case EV_SEM_POST:
    case EV_FUTEX_WAKE:
        return "posts";
    case EV_SEM_WAIT:
    case EV_WAIT_LEAVE:
    case EV_FUTEX_WAIT:
        return "goes on from waiting for";
    case EV_ARRIVE:
        return "arrives at";
    case EV_DEPART:
        return "leaves";
    case EV_ONCE_LEAVE:
        return "ends the once routine of";
    case EV_ONCE_ENTER:
    case EV_ONCE_PASS:
        return "passes";
    case EV_CHANNEL_WRITE:
        return "writes to";
    case EV_CHANNEL_READ:
        return "reads from";
    case EV_CHANGE:
        return "changes";
    case EV_LOOK:
    case EV_SUM:
        return "looks at";
    case EV_HEAR:
        return "is told of";
    case EV_RMW:
    case EV_CAS:
        return model_writes(m, e) ? "updates" : "reads";
    default:
        break;
    }
    return model_writes(m, e) ? "writes" : model_reads(m, e) ? "reads" : NULL;
}

/* "locks 'm'" */
static void add_deed(struct str *out, const struct model *m, ev_id e)
{
    const char *known = verb(m, e);
    unsigned kind = m->ev[e].kind;
    if (kind == EV_CREATE || kind == EV_JOIN) {
        str_add(out, kind == EV_CREATE ? "creates " : "joins ");
        thread_name(out, m->trace, m->obj[e]);
        return;
    }
    str_add(out, "%s", known ? known : ev_text(kind));
    if (model_touches(m, e) || ev_acts_on(kind) >= ON_SYNC)
        add_object(out, m, e);
}

static void add_line(struct why_not *out, struct why_answer *answer, const struct model *m,
                     ev_id e, const struct str *text)
{
    AUTO(str) struct str name = {0};
    thread_name(&name, m->trace, m->ev[e].thr);
    struct why_event line = {str_keep(&out->mem, &name), place_of(out, m, e),
                             str_keep(&out->mem, text)};
    vec_push(&answer->events, line);
}

/* ---- two accesses ---------------------------------------------------------------------- */

static void add_held(struct str *out, const struct model *m, ev_id e)
{
    uint32_t n = m->idx[e], first = model_held(m, m->ev[e].thr, n);
    for (uint32_t i = first; i != NONE; i = model_held_next(m, i, n)) {
        str_add(out, i == first ? ", holding '" : ", '");
        sync_name(out, m, m->obj[m->acquires[i]]);
        str_char(out, '\'');
    }
}

static void tell_access(struct why_not *out, struct why_answer *answer, const struct model *m,
                        ev_id e)
{
    AUTO(str) struct str text = {0};
    add_deed(&text, m, e);
    add_held(&text, m, e);
    add_line(out, answer, m, e, &text);
}

void tell_pair(struct why_not *out, struct why_answer *answer, const struct model *m, ev_id a,
               ev_id b)
{
    tell_access(out, answer, m, a);
    tell_access(out, answer, m, b);
}

void tell_locks(struct why_not *out, struct why_answer *answer, const struct model *m,
                const common_locks *locks)
{
    for (uint32_t i = 0; i < locks->len; i++)
        for (unsigned side = 0; side < 2; side++) {
            AUTO(str) struct str text = {0};
            str_add(&text, "has taken");
            add_object(&text, m, locks->at[i].acquire[side]);
            add_line(out, answer, m, locks->at[i].acquire[side], &text);
        }
}

/* ---- a chain --------------------------------------------------------------------------- */

static void tell_from(struct why_not *out, struct why_answer *answer, const struct model *m,
                      const struct chain_link *l)
{
    AUTO(str) struct str text = {0};
    if (l->step == CHAIN_JOIN)
        str_add(&text, "then ends");
    else {
        str_add(&text, "then ");
        add_deed(&text, m, l->from);
    }
    add_line(out, answer, m, l->from, &text);
}

static void tell_to(struct why_not *out, struct why_answer *answer, const struct model *m,
                    const struct chain_link *l)
{
    static const char *const how[] = {[CHAIN_FORK] = "begins",
                                      [CHAIN_JOIN] = "after that ",
                                      [CHAIN_WAKE] = "woken by that, goes on",
                                      [CHAIN_RULE] = "after that ",
                                      [CHAIN_READ] =
                                          "sees that value, and goes on because of it: ",
                                      [CHAIN_AFTER] = "gets what that left: "};
    AUTO(str) struct str text = {0};
    str_add(&text, "%s", how[l->step]);
    if (l->step != CHAIN_FORK && l->step != CHAIN_WAKE)
        add_deed(&text, m, l->to);
    add_line(out, answer, m, l->to, &text);
}

void tell_chain(struct why_not *out, struct why_answer *answer, const struct model *m, ev_id a,
                ev_id b, const chain *links)
{
    tell_access(out, answer, m, a);
    for (uint32_t i = 0; i < links->len; i++) {
        const struct chain_link *l = &links->at[i];
        if (l->from != (i ? links->at[i - 1].to : a))
            tell_from(out, answer, m, l);
        tell_to(out, answer, m, l);
    }
    tell_access(out, answer, m, b);
}

/* What a person calls the primitive. */
static const char *kind_of(const struct model *m, const struct chain_link *l)
{
    static const char *const names[] = {[CHAIN_FORK] = "the creation of a thread",
                                        [CHAIN_JOIN] = "a join",
                                        [CHAIN_WAKE] = "a wake-up",
                                        [CHAIN_READ] = "a value that is read and decided by",
                                        [CHAIN_AFTER] = "the order of a lock or semaphore"};
    if (l->step != CHAIN_RULE)
        return names[l->step];
    switch (ev_acts_on(m->ev[l->to].kind)) {
    case ON_BARRIER:
        return "a barrier";
    case ON_ONCE:
        return "a once routine";
    case ON_CHANNEL:
        return "what came through a pipe or socket";
    case ON_LOCK:
        return "what became of a lock's last owner";
    default:
        return "something from outside";
    }
}

void add_chain_kinds(struct str *out, const struct model *m, const chain *links)
{
    for (uint32_t i = 0; i < links->len; i++) {
        const char *kind = kind_of(m, &links->at[i]);
        bool is_said = false; /* each kind is one text */
        for (uint32_t k = 0; k < i; k++)
            is_said |= kind_of(m, &links->at[k]) == kind;
        if (!is_said)
            str_add(out, "%s%s", out->len ? ", " : "", kind);
    }
}
