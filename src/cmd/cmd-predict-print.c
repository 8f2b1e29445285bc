/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-predict-print: predicted bugs in words, and what became of the candidates. */
#include "cmd/cmd-predict.h"
#include "cmd/cmd.h"

/* One with the same accesses as a race, say, is told with that. */
static bool is_apart(const struct finding *f)
{
    return !*f->with;
}

static void print_finding(const struct findings *f, uint32_t i, struct str *out)
{
    const struct finding *x = &f->list.findings.at[i];
    const struct query *q = i < f->predicted.len ? &f->predicted.at[i].query : NULL;
    uint32_t with = 0;
    add_clean(out, text_of(x->message));
    str_add(out, "\n    predicted %s%s", x->id, q ? ": events" : "");
    for (uint32_t k = 0; q && k < q->count; k++)
        str_add(out, " %llu", (unsigned long long)q->number[k]);
    if (x->alike > 0)
        str_add(out, "; %u more of the same cause", x->alike);
    for (uint32_t k = 0; k < f->list.findings.len; k++)
        with += f->list.findings.at[k].with == x->id;
    if (with > 0)
        str_add(out, "; goes with %u atomicity or order violation%s", with,
                with > 1 ? "s" : "");
    if (x->values)
        str_add(out, "; %s", effect_text(x->values));
    if (*x->witness)
        str_add(out, "; %s", x->witness);
    str_char(out, '\n');
}

static void print_counts(const struct findings *f, struct str *out)
{
    struct account all = {0};
    uint32_t apart = 0;
    for (uint32_t i = 0; i < f->list.findings.len; i++)
        apart += is_apart(&f->list.findings.at[i]);
    for (uint32_t i = 0; i < f->list.accounts.len; i++) {
        const struct account *a = &f->list.accounts.at[i];
        all.candidates += a->candidates;
        all.found += a->found;
        all.refuted += a->refuted;
        all.unknown += a->unknown;
    }
    str_add(out, "%u predicted; looked at %llu events of %llu threads: %llu candidates, %llu ",
            apart, (unsigned long long)f->list.events, (unsigned long long)f->list.threads,
            (unsigned long long)all.candidates, (unsigned long long)all.found);
    str_add(out, "possible, %llu impossible, %llu undecided\n", (unsigned long long)all.refuted,
            (unsigned long long)all.unknown);
}

void print_findings(const struct findings *f, struct str *out)
{
    for (uint32_t i = 0; i < f->list.findings.len; i++)
        if (is_apart(&f->list.findings.at[i]))
            print_finding(f, i, out);
    print_counts(f, out);
}

void print_funnel(const struct finding_list *l, bool is_run, struct str *out)
{
    str_add(out, "%-18s %10s %9s %9s %9s %9s %9s %9s %9s %14s", "pattern", "candidates",
            "locks", "order", "sync", "closure", "values", "witnesses", "undecided",
            "not looked at");
    str_add(out, is_run ? " %9s\n" : "\n", "replayed");
    for (uint32_t i = 0; i < l->accounts.len; i++) {
        const struct account *a = &l->accounts.at[i];
        str_add(out, "%-18s %10llu %9llu %9llu %9llu %9llu %9llu %9llu %9llu %14llu",
                pattern_text(a->pattern), (unsigned long long)a->candidates,
                (unsigned long long)a->by.locks, (unsigned long long)a->by.order,
                (unsigned long long)a->by.sync, (unsigned long long)a->by.closure,
                (unsigned long long)a->by.values, (unsigned long long)a->found,
                (unsigned long long)a->unknown, (unsigned long long)a->skipped);
        str_add(out, is_run ? " %9llu\n" : "\n", (unsigned long long)a->confirmed);
    }
}

void print_stats(const struct predictor *p, struct str *out)
{
    struct predict_stat s = predict_stat(p);
    str_add(out,
            "%llu queries: excluded by clocks %llu, by locks alone %llu, by closure %llu; "
            "found in trace order %llu, in a window %llu, by search %llu, over everything "
            "%llu; not found %llu, too much work %llu\n",
            (unsigned long long)s.queries, (unsigned long long)s.clocks_no,
            (unsigned long long)s.sync_no, (unsigned long long)s.closure_no,
            (unsigned long long)s.trace_order, (unsigned long long)s.windows,
            (unsigned long long)s.searches, (unsigned long long)s.full,
            (unsigned long long)s.not_found, (unsigned long long)s.too_long);
}

static void print_undecided(const struct symbolic_stat *t)
{
    static const char *const reasons[UNDECIDED_COUNT] = {
        "too many clauses",        "the solver's limit",      "circles",
        "orders kept as recorded", "the witness was refused", "the total was spent"};
    AUTO(str) struct str text = {0};
    for (unsigned i = 0; i < UNDECIDED_COUNT; i++)
        if (t->undecided[i])
            str_add(&text, "%s %s %llu", text.len ? "," : "", reasons[i],
                    (unsigned long long)t->undecided[i]);
    if (text.len)
        cmd_note("symbolic: undecided because of:%s", text.at);
}

void print_symbolic(const struct symbolic_stat *t)
{
    cmd_note("symbolic: %llu questions, solved %llu times in %llu rounds: %llu possible, %llu "
             "impossible, %llu undecided; at most %llu open orders, %u nodes, %llu witnesses "
             "refused",
             (unsigned long long)t->asked, (unsigned long long)t->solved,
             (unsigned long long)t->rounds, (unsigned long long)t->answers[SAT_YES],
             (unsigned long long)t->answers[SAT_NO],
             (unsigned long long)t->answers[SAT_UNKNOWN], (unsigned long long)t->orders_most,
             t->nodes, (unsigned long long)t->refused);
    print_undecided(t);
}
