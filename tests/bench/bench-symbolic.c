/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-symbolic: what a question about values costs, with each engine. The load is a bank: 8
 * threads move money between accounts, each under the locks of both, with a branch on the
 * balance. Some questions ask for a balance that some order may give, some for one that none
 * can; most of the undecided ones ask for one exact sum after a long history. Each size and
 * engine is a process of its own, so that the memory printed is what its questions took at
 * most; the goal is 2 GiB. Usage: bench-symbolic [events] */
#include "base/rng.h"
#include "symbolic/symbolic.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, ACCOUNTS = 16, START = 100, QUESTIONS = 60, WIDTH = 32 };

struct bank {
    struct problem p;
    struct term_pool *pool;
    struct term_env *env;
    struct rng rng;
    term_bits balance[ACCOUNTS];
    node_id writer[ACCOUNTS];
    node_id created;
};

static struct node plain(enum node_op op, uint32_t thr, uint32_t obj)
{
    return (struct node){.op = (uint8_t)op,
                         .thr = (uint16_t)thr,
                         .obj = obj,
                         .link = NONE,
                         .wait = NONE,
                         .notify = NONE,
                         .cond = NONE};
}

static term read_account(struct bank *b, uint32_t thr, uint32_t x)
{
    struct node n = plain(NODE_ACCESS, thr, 0);
    term var = term_var(b->pool, WIDTH);
    n.first = b->p.parts.len;
    n.count = n.read_count = 1;
    n.read_first = b->p.readings.len;
    vec_push(&b->p.parts, (struct part){.place = x,
                                        .reads = true,
                                        .read = var,
                                        .write = NONE,
                                        .saw = b->balance[x],
                                        .source = b->writer[x]});
    vec_push(&b->p.readings, (struct reading){var, n.first, 1, b->balance[x]});
    term_env_set(b->env, var, b->balance[x]);
    problem_add(&b->p, n);
    return var;
}

static void write_account(struct bank *b, uint32_t thr, uint32_t x, term value)
{
    struct node n = plain(NODE_ACCESS, thr, 0);
    n.first = b->p.parts.len;
    n.count = 1;
    CHECK(term_eval(b->env, value, &b->balance[x]));
    vec_push(&b->p.parts, (struct part){.place = x,
                                        .writes = true,
                                        .read = NONE,
                                        .write = value,
                                        .wrote = b->balance[x],
                                        .source = NONE});
    b->writer[x] = problem_add(&b->p, n);
}

static void add_condition(struct bank *b, uint32_t thr, enum node_op op, term cond)
{
    struct node n = plain(op, thr, 0);
    term_bits value = 0;
    CHECK(term_eval(b->env, cond, &value));
    n.cond = (value == 1) == (op == NODE_GUARD) ? cond : term_not(b->pool, cond);
    problem_add(&b->p, n);
}

static node_id lock(struct bank *b, uint32_t thr, uint32_t x, node_id acquire)
{
    struct node n = plain(acquire == NONE ? NODE_ACQUIRE : NODE_RELEASE, thr, x);
    n.link = acquire;
    node_id id = problem_add(&b->p, n);
    if (acquire != NONE)
        b->p.nodes.at[acquire].link = id;
    return id;
}

static void transfer(struct bank *b, uint32_t thr)
{
    uint32_t from = rng_below(&b->rng, ACCOUNTS), to = rng_below(&b->rng, ACCOUNTS);
    term amount = term_const(b->pool, WIDTH, 1 + rng_below(&b->rng, 40));
    if (from == to)
        return;
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    node_id first = lock(b, thr, low, NONE), second = lock(b, thr, high, NONE);
    term have = read_account(b, thr, from);
    bool enough = b->balance[from] >= term_value(b->pool, amount);
    add_condition(b, thr, NODE_GUARD, term_binary(b->pool, TERM_ULE, amount, have));
    if (enough) {
        write_account(b, thr, from, term_binary(b->pool, TERM_SUB, have, amount));
        term other = read_account(b, thr, to);
        write_account(b, thr, to, term_binary(b->pool, TERM_ADD, other, amount));
    }
    term left = read_account(b, thr, from);
    /* can a little less than recorded be there; can what nobody has? */
    term_bits now = b->balance[from], odd = rng_below(&b->rng, 2) ? 100000 : now + 1;
    add_condition(b, thr, NODE_CHECK, term_eq(b->pool, left, term_const(b->pool, WIDTH, odd)));
    lock(b, thr, high, second);
    lock(b, thr, low, first);
}

static void make_bank(struct bank *b, uint32_t events)
{
    *b = (struct bank){.pool = term_pool_new(), .rng = {1}};
    b->env = term_env_new(b->pool);
    b->p.pool = b->pool;
    b->p.lock_count = ACCOUNTS;
    for (uint32_t t = 0; t < THREADS; t++)
        vec_push(&b->p.paths, (struct path){.create = NONE});
    for (uint32_t x = 0; x < ACCOUNTS; x++) {
        b->balance[x] = START;
        b->writer[x] = NONE;
        vec_push(&b->p.places,
                 (struct sym_place){.width = WIDTH, .is_known = true, .initial = START});
    }
    while (b->p.nodes.len < events)
        transfer(b, rng_below(&b->rng, THREADS));
    problem_finish(&b->p);
}

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_reasons(const struct symbolic_stat *stat, const struct engine *engine,
                          uint32_t events)
{
    static const char *const reasons[UNDECIDED_COUNT] = {"size",  "work",    "circles",
                                                         "order", "refused", "total"};
    for (unsigned i = 0; i < UNDECIDED_COUNT; i++)
        if (stat->undecided[i])
            printf("symbolic-%u-%s-undecided-%s %llu questions\n", events, engine->name,
                   reasons[i], (unsigned long long)stat->undecided[i]);
}

static void measure(struct bank *b, const struct engine *engine, uint32_t events)
{
    struct symbolic_opts opts = {.engine = engine, .work = 200000, .clauses_max = 100000};
    struct symbolic_stat stat = {0};
    AUTO(sym_witness) struct sym_witness w = {0};
    double took[QUESTIONS];
    uint32_t count = 0;
    for (node_id n = b->p.nodes.len / 3; n < b->p.nodes.len && count < QUESTIONS; n++) {
        if (b->p.nodes.at[n].op != NODE_CHECK || rng_below(&b->rng, 3))
            continue;
        struct goal g = {.kind = GOAL_CHECK, .count = 1, .node = {n}, .also = NONE};
        struct err err;
        double start = cpu_ms();
        symbolic_ask(&b->p, &g, &opts, &w, &stat, &err);
        took[count++] = cpu_ms() - start;
    }
    if (count == 0)
        return;
    qsort(took, count, sizeof *took, by_value);
    printf("symbolic-%u-%s-median %.2f ms\n", events, engine->name, took[count / 2]);
    printf("symbolic-%u-%s-95 %.2f ms\n", events, engine->name, took[count * 95 / 100]);
    printf("symbolic-%u-%s-yes %llu of %u\n", events, engine->name,
           (unsigned long long)stat.answers[SAT_YES], count);
    printf("symbolic-%u-%s-undecided %llu of %u\n", events, engine->name,
           (unsigned long long)stat.answers[SAT_UNKNOWN], count);
    print_reasons(&stat, engine, events);
    printf("symbolic-%u-%s-orders %llu open\n", events, engine->name,
           (unsigned long long)stat.orders_most);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("symbolic-%u-%s-memory %ld MiB\n", events, engine->name, used.ru_maxrss / 1024);
}

static void measure_apart(const struct engine *engine, uint32_t events)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct bank b;
        make_bank(&b, events);
        measure(&b, engine, events);
        problem_done(&b.p);
        term_env_free(b.env);
        term_pool_free(b.pool);
        fflush(stdout);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
}

int main(int argc, char **argv)
{
    uint32_t only = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    const uint32_t sizes[] = {200, 2000};
    for (uint32_t i = 0; i < (only ? 1 : 2); i++)
        for (uint32_t k = 0; engines[k]; k++)
            measure_apart(engines[k], only ? only : sizes[i]);
    return 0;
}
