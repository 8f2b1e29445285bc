/* SPDX-License-Identifier: Apache-2.0
 *
 * values-generate: small random programs in C, many in one file: main's argument says which.
 * Each has two or three threads that read, compute, decide and write on shared integers of
 * all sizes, with locks, sometimes a condition variable, an atomic operation or an array,
 * and assertions that may or may not hold, each on a line of its own. */
#include "oracle/values.h"

struct gen {
    struct rng rng;
    struct str *out;
    unsigned number; /* of the program */
    unsigned vars, depth, threads;
    unsigned room;     /* shared accesses that the thread may still have */
    bool is_locked[2]; /* by this thread */
    bool has_flag;     /* a condition variable with a flag */
    unsigned indent;
};

static unsigned below(struct gen *g, unsigned n)
{
    return (unsigned)rng_below(&g->rng, n);
}

static void line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line(struct gen *g, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    str_add(g->out, "%*s%s\n", (int)(4 * g->indent), "", text);
}

static const char *const types[] = {"unsigned char", "signed char", "short", "unsigned short",
                                    "int",           "unsigned",    "long",  "int"};
static const char *const ops[] = {"+", "-", "*", "^", "&", "|", "<<", ">>"};
static const char *const compares[] = {"==", "!=", "<", ">", "<=", ">="};

static unsigned var(struct gen *g)
{
    g->room -= g->room > 0;
    return below(g, g->vars);
}

/* A condition over one or two variables. */
static void condition(struct gen *g, char *out, size_t len)
{
    unsigned a = var(g), small = below(g, 4);
    const char *how = compares[below(g, 6)];
    if (g->room > 1 && below(g, 3) == 0) {
        unsigned b = var(g);
        snprintf(out, len, "g%u_%u + g%u_%u %s %u", g->number, a, g->number, b, how, small);
        return;
    }
    snprintf(out, len, "g%u_%u %s %u", g->number, a, how, small);
}

static void assignment(struct gen *g)
{
    unsigned n = g->number, x = var(g);
    unsigned amount = 1 + below(g, 3);
    const char *op = ops[below(g, below(g, 2) ? 2 : 8)];
    switch (below(g, 6)) {
    case 0:
        line(g, "g%u_%u = %u;", n, x, below(g, 4));
        break;
    case 1:
        line(g, "g%u_%u = g%u_%u %s %u;", n, x, n, var(g), op, amount);
        break;
    case 2:
        line(g, "g%u_%u += %u;", n, x, amount);
        break;
    case 3:
        line(g, "__atomic_fetch_add(&g%u_%u, %u, 5);", n, x, amount);
        break;
    case 4:
        line(g, "local = g%u_%u %s %u;", n, x, op, amount);
        break;
    default:
        line(g, "g%u_%u = local + %u;", n, x, below(g, 2));
        break;
    }
}

static void statement(struct gen *g);

static void choice(struct gen *g)
{
    char text[128];
    if (below(g, 4) == 0) {
        line(g, "switch (g%u_%u & 3) {", g->number, var(g));
        line(g, "case %u:", below(g, 3));
        g->indent++;
        statement(g);
        line(g, "break;");
        g->indent--;
        line(g, "default:");
        g->indent++;
        line(g, "local++;");
        g->indent--;
    } else {
        condition(g, text, sizeof text);
        line(g, "if (%s) {", text);
        g->indent++;
        statement(g);
        g->indent--;
        if (below(g, 2)) {
            line(g, "} else {");
            g->indent++;
            assignment(g);
            g->indent--;
        }
    }
    line(g, "}");
}

/* It should hold in most runs: one number of some is left out. */
static void assertion(struct gen *g)
{
    char text[128];
    unsigned a = var(g), odd = below(g, 9);
    if (odd == 0) {
        condition(g, text, sizeof text);
        line(g, "assert(%s);", text);
    } else if (odd < 4 && g->room > 0) {
        line(g, "assert(g%u_%u + g%u_%u != %u);", g->number, a, g->number, var(g), odd + 1);
    } else {
        line(g, "assert(g%u_%u != %u);", g->number, a, odd);
    }
}

static void statement(struct gen *g)
{
    unsigned kind = below(g, 10);
    g->depth++;
    if (g->room < 2 || g->depth > 3 || kind < 5)
        assignment(g);
    else if (kind < 7)
        choice(g);
    else if (kind < 8)
        line(g, "a%u[g%u_%u & 3]++;", g->number, g->number, var(g));
    else
        assertion(g);
    g->depth--;
}

static void section(struct gen *g)
{
    unsigned lock = below(g, 2);
    line(g, "pthread_mutex_lock(&m%u_%u);", g->number, lock);
    statement(g);
    if (g->room > 1 && below(g, 2))
        statement(g);
    line(g, "pthread_mutex_unlock(&m%u_%u);", g->number, lock);
}

/* One thread waits until another has said so. */
static void waiting(struct gen *g, unsigned thread)
{
    unsigned n = g->number;
    line(g, "pthread_mutex_lock(&m%u_0);", n);
    if (thread == 0) {
        line(g, "while (!f%u)", n);
        line(g, "    pthread_cond_wait(&c%u, &m%u_0);", n, n);
        statement(g);
    } else {
        statement(g);
        line(g, "f%u = 1;", n);
        line(g, "pthread_cond_%s(&c%u);", below(g, 2) ? "signal" : "broadcast", n);
    }
    line(g, "pthread_mutex_unlock(&m%u_0);", n);
}

static void thread(struct gen *g, unsigned which, unsigned room)
{
    g->room = room;
    g->indent = 0;
    line(g, "static void *p%u_t%u(void *arg)", g->number, which);
    line(g, "{");
    g->indent = 1;
    line(g, "int local = %u;", below(g, 3));
    if (g->has_flag && which < 2)
        waiting(g, which);
    while (g->room > 0) {
        if (below(g, 3) == 0)
            section(g);
        else
            statement(g);
    }
    line(g, "return arg + local - local;");
    g->indent = 0;
    line(g, "}");
}

static void program(struct gen *g, unsigned size)
{
    unsigned n = g->number;
    g->vars = 2 + below(g, 2);
    g->threads = below(g, 5) == 0 ? 3 : 2;
    g->has_flag = below(g, 6) == 0;
    for (unsigned i = 0; i < g->vars; i++)
        line(g, "static %s g%u_%u = %u;", types[below(g, 8)], n, i, below(g, 2));
    line(g, "static int a%u[4], f%u;", n, n);
    line(g,
         "static pthread_mutex_t m%u_0 = PTHREAD_MUTEX_INITIALIZER, m%u_1 = "
         "PTHREAD_MUTEX_INITIALIZER;",
         n, n);
    line(g, "static pthread_cond_t c%u = PTHREAD_COND_INITIALIZER;", n);
    for (unsigned i = 0; i < g->threads; i++)
        thread(g, i, g->threads == 3 ? size / 2 : g->has_flag ? size - 1 : size);
    line(g, "static void p%u(void)", n);
    line(g, "{");
    g->indent = 1;
    line(g, "pthread_t t[3];");
    for (unsigned i = 0; i < g->threads; i++)
        line(g, "pthread_create(&t[%u], NULL, p%u_t%u, NULL);", i, n, i);
    for (unsigned i = 0; i < g->threads; i++)
        line(g, "pthread_join(t[%u], NULL);", i);
    g->room = 4;
    assertion(g);
    line(g, "(void)a%u[0], (void)f%u, (void)c%u, (void)m%u_1;", n, n, n, n);
    g->indent = 0;
    line(g, "}");
}

void generate(struct str *out, unsigned count, uint64_t seed, unsigned size)
{
    struct gen g = {.out = out};
    str_add(out, "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n");
    for (g.number = 0; g.number < count; g.number++) {
        struct rng first = {seed * 1000003 + g.number};
        g.rng = (struct rng){rng_next(&first)};
        program(&g, size);
    }
    str_add(
        out,
        "int main(int argc, char **argv)\n{\n    switch (argc > 1 ? atoi(argv[1]) : 0) {\n");
    for (unsigned i = 0; i < count; i++)
        str_add(out, "    case %u:\n        p%u();\n        break;\n", i, i);
    str_add(out, "    }\n    return 0;\n}\n");
}
