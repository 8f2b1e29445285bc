/* SPDX-License-Identifier: Apache-2.0
 *
 * bitcode: what src/ir says about a program, for test scripts.
 *
 *     bitcode reach PROGRAM FILE:LINE FILE:LINE   can the first still reach the second?
 *     bitcode paths PROGRAM RUN [-v]              records a window and executes it once more;
 *                                                 -v: with all steps */
#include "ir/ir.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>

static ir_place place(const struct ir *ir, const char *text)
{
    char file[1024] = "";
    unsigned line = 0;
    if (sscanf(text, "%1023[^:]:%u", file, &line) != 2)
        return NONE;
    return ir_find_line(ir, file, line);
}

static int reach(struct ir *ir, char **argv)
{
    ir_place from = place(ir, argv[0]), to = place(ir, argv[1]);
    if (from == NONE || to == NONE) {
        fprintf(stderr, "no code at %s\n", from == NONE ? argv[0] : argv[1]);
        return 2;
    }
    printf("%s to %s: %s\n", argv[0], argv[1], ir_reaches(ir, from, to) ? "yes" : "no");
    return 0;
}

/* ---- paths ------------------------------------------------------------------------------- */

static void print_term(const struct term_pool *pool, term t, unsigned depth)
{
    static const char *const names[TERM_OP_COUNT] = {
        [TERM_ADD] = "+",     [TERM_SUB] = "-",        [TERM_MUL] = "*",
        [TERM_UDIV] = "udiv", [TERM_SDIV] = "sdiv",    [TERM_UREM] = "urem",
        [TERM_SREM] = "srem", [TERM_SHL] = "shl",      [TERM_LSHR] = "lshr",
        [TERM_ASHR] = "ashr", [TERM_AND] = "and",      [TERM_OR] = "or",
        [TERM_XOR] = "xor",   [TERM_NOT] = "not",      [TERM_EQ] = "=",
        [TERM_ULT] = "u<",    [TERM_ULE] = "u<=",      [TERM_SLT] = "<",
        [TERM_SLE] = "<=",    [TERM_ITE] = "if",       [TERM_ZEXT] = "zext",
        [TERM_SEXT] = "sext", [TERM_EXTRACT] = "bits", [TERM_CONCAT] = "join"};
    const struct term_node n = *term_at(pool, t);
    if (n.op == TERM_CONST)
        printf("%llu", (unsigned long long)term_value(pool, t));
    else if (n.op == TERM_VAR)
        printf("v%u", term_var_number(pool, t));
    else if (depth > 6)
        printf("...");
    else {
        printf("(%s", names[n.op]);
        unsigned count =
            n.op == TERM_ITE ? 3
            : n.op == TERM_NOT || n.op == TERM_ZEXT || n.op == TERM_SEXT || n.op == TERM_EXTRACT
                ? 1
                : 2;
        for (unsigned i = 0; i < count; i++) {
            putchar(' ');
            print_term(pool, i == 0 ? n.a : i == 1 ? n.b : n.c, depth + 1);
        }
        putchar(')');
    }
}

static const char *why_text(enum ir_why why)
{
    static const char *const texts[IR_WHY_COUNT] = {
        [IR_NO_REASON] = "none",
        [IR_BRANCH] = "branch",
        [IR_ADDRESS] = "address",
        [IR_LOCK] = "lock",
        [IR_CALLEE] = "callee",
        [IR_FOREIGN] = "foreign call",
        [IR_FLOAT] = "not modelled",
        [IR_ASSERT] = "assertion",
        [IR_NULL] = "null pointer",
        [IR_BOUNDS] = "out of bounds",
        [IR_DIVISOR] = "division by zero",
        [IR_ORACLE] = "oracle",
    };
    CHECK(why < IR_WHY_COUNT);
    return texts[why];
}

static void print_steps(const struct ir_path *p, const struct term_pool *pool,
                        const struct trace *t)
{
    static const char *const kinds[] = {"read", "write", "guard", "check", "sync"};
    for (uint32_t i = 0; i < p->steps.len; i++) {
        const struct ir_step *s = &p->steps.at[i];
        AUTO(str) struct str site = {0};
        if (s->kind == IR_SYNC)
            continue;
        if (s->site != NONE)
            site_name(&site, &t->sites.at[s->site]);
        printf("  %s %s", kinds[s->kind], site.len ? site.at : "-");
        if (s->kind == IR_GUARD || s->kind == IR_CHECK)
            printf(" (%s)", why_text(s->why));
        else
            printf(" %llu", (unsigned long long)s->value);
        putchar(' ');
        print_term(pool, s->term, 0);
        putchar('\n');
    }
}

static void print_path(const struct ir_path *p)
{
    uint32_t counts[IR_SYNC + 1] = {0};
    for (uint32_t i = 0; i < p->steps.len; i++)
        counts[p->steps.at[i].kind]++;
    printf("T%u: %llu instructions, %llu of %llu events; reads %u, writes %u, guards %u, "
           "checks %u; fixed %u foreign, %u not modelled, %u addresses; %s\n",
           p->thr, (unsigned long long)p->instructions, (unsigned long long)p->events,
           (unsigned long long)p->events_all, counts[IR_READ], counts[IR_WRITE],
           counts[IR_GUARD], counts[IR_CHECK], p->fixed.foreign, p->fixed.floats,
           p->fixed.addresses, p->is_whole ? "whole" : p->reason.at);
}

static int paths(struct ir *ir, const char *run, bool verbose, struct err *err)
{
    struct run_recorded recorded = {0};
    struct run_again again = {0};
    struct run_result result = {0};
    AUTO(trace) struct trace t = {0};
    AUTO(str) struct str path = {0}, where = {0};
    AUTO(term_pool) struct term_pool *pool = term_pool_new();
    AUTO(ir_paths) struct ir_paths p = {0};
    if (run_recorded_read(&recorded, run, err) < 0 ||
        run_again_open(&again, &recorded, true, err) < 0)
        return 4;
    int went = run_window(&again, &result, &(struct run_opts){0}, err);
    str_add(&path, "%s/trace", again.files.at);
    if (went != 0 || trace_open(&t, path.at, err) < 0 || ir_paths(&p, ir, &t, pool, err) < 0) {
        if (went == 1)
            fprintf(stderr, "diverged: %s\n", result.text.at);
        run_again_close(&again);
        return went == 1 ? 3 : 4;
    }
    for (uint32_t i = 0; i < p.at.len; i++) {
        print_path(&p.at.at[i]);
        if (verbose)
            print_steps(&p.at.at[i], pool, &t);
    }
    if (ir_check(&p, pool, &where))
        printf("WRONG: %s\n", where.at);
    run_again_close(&again);
    run_result_done(&result);
    run_recorded_done(&recorded);
    return where.len > 0;
}

int main(int argc, char **argv)
{
    AUTO(ir) struct ir *ir = NULL;
    struct err err;
    if (argc < 3)
        return 2;
    if (ir_open(&ir, argv[2], &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 4;
    }
    if (strcmp(argv[1], "reach") == 0 && argc == 5)
        return reach(ir, argv + 3);
    if (strcmp(argv[1], "paths") == 0 && argc >= 4) {
        int code = paths(ir, argv[3], argc > 4, &err);
        if (code == 4)
            fprintf(stderr, "%s\n", err.text);
        return code;
    }
    return 2;
}
