/* SPDX-License-Identifier: Apache-2.0
 *
 * solver-cadical: CaDiCaL, which knows clauses; blast.c makes them of terms. Literals are its
 * variables. Orders are wanted true only where they must be: it tries false first. */
#include "smt/blast.h"

#include "base/err.h"

#include <ccadical.h>

/* What a conflict costs, in microseconds: something, and more with many clauses. */
enum { WORK_PER_CONFLICT = 20, CLAUSES_PER_WORK = 200, CONFLICTS_MIN = 100 };

struct cadical_solver {
    struct solver base;
    struct blaster blaster;
    CCaDiCaL *cadical; /* owned */
    uint64_t work;
};

static struct cadical_solver *own(struct solver *s)
{
    return (struct cadical_solver *)s;
}

static void add_clause(void *arg, const lit *l, uint32_t count)
{
    struct cadical_solver *s = arg;
    s->base.clauses++;
    for (uint32_t i = 0; i < count; i++)
        ccadical_add(s->cadical, l[i]);
    ccadical_add(s->cadical, 0);
}

static struct solver *cadical_start(struct term_pool *p, const struct solver_opts *opts)
{
    struct cadical_solver *s = mem_zeroed(1, sizeof *s);
    s->base.engine = &engine_cadical;
    s->work = opts->work;
    s->cadical = ccadical_init();
    ccadical_set_option(s->cadical, "quiet", 1);
    ccadical_set_option(s->cadical, "phase", 0);
    s->blaster = (struct blaster){.pool = p, .clause = add_clause, .arg = s};
    blast_init(&s->blaster);
    return &s->base;
}

static void cadical_end(struct solver *base)
{
    struct cadical_solver *s = own(base);
    ccadical_release(s->cadical);
    blast_done(&s->blaster);
    free(s);
}

static lit cadical_boolean(struct solver *base)
{
    return blast_fresh(&own(base)->blaster);
}

static lit cadical_of_term(struct solver *base, term t)
{
    struct cadical_solver *s = own(base);
    CHECK(term_width(s->blaster.pool, t) == 1);
    return blast_term(&s->blaster, t)[0];
}

static void cadical_clause(struct solver *base, const lit *l, uint32_t count)
{
    add_clause(own(base), l, count);
}

static enum verdict_sat cadical_check(struct solver *base, const lit *assumed, uint32_t count)
{
    struct cadical_solver *s = own(base);
    for (uint32_t i = 0; i < count; i++)
        ccadical_assume(s->cadical, assumed[i]);
    if (s->work > 0) {
        uint64_t each = WORK_PER_CONFLICT + s->base.clauses / CLAUSES_PER_WORK;
        uint64_t conflicts = CONFLICTS_MIN + s->work / each,
                 decisions = s->work + s->base.clauses;
        ccadical_limit(s->cadical, "conflicts",
                       conflicts > INT32_MAX ? INT32_MAX : (int)conflicts);
        ccadical_limit(s->cadical, "decisions",
                       decisions > INT32_MAX ? INT32_MAX : (int)decisions);
    }
    int answer = ccadical_solve(s->cadical);
    return answer == 10 ? SAT_YES : answer == 20 ? SAT_NO : SAT_UNKNOWN;
}

static bool cadical_value(struct solver *base, lit l)
{
    return ccadical_val(own(base)->cadical, l) > 0;
}

static term_bits cadical_term_value(struct solver *base, term t)
{
    struct cadical_solver *s = own(base);
    const lit *bits = blast_find(&s->blaster, t);
    term_bits value = 0;
    for (unsigned i = 0; bits && i < term_width(s->blaster.pool, t); i++)
        value |= (term_bits)cadical_value(base, bits[i]) << i;
    return value;
}

static bool cadical_in_core(struct solver *base, lit assumed)
{
    return ccadical_failed(own(base)->cadical, assumed);
}

const struct engine engine_cadical = {
    .name = "cadical",
    .help = "CaDiCaL, with every bit a variable",
    .start = cadical_start,
    .end = cadical_end,
    .boolean = cadical_boolean,
    .of_term = cadical_of_term,
    .clause = cadical_clause,
    .check = cadical_check,
    .value = cadical_value,
    .term_value = cadical_term_value,
    .in_core = cadical_in_core,
};
