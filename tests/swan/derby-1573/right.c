// SPDX-License-Identifier: Apache-2.0
// A model of DERBY-1573: a prepared plan is used by many connections and thrown away by a
// change of the schema.
//
// Who executes a statement compiles its plan if there is none, and runs it. Who changes the
// schema throws the plan away, so that the next execution compiles a new one.
//
// The right fix: the section reaches to the last look at the plan.
//
// arguments: [THREADS], at most 3. Ends with 1 if an execution found no plan.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 3, TIMES = 2, STEPS = 3, PLANS_MAX = 64 };

struct plan {
    int version;
    int step[STEPS];
};

struct statement {
    pthread_mutex_t lock;
    struct plan *plan;  // NULL: must be compiled again
    atomic_int version; // of the schema
};

struct connection {
    int rows, executions, missing;
};

static struct statement statement = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct plan plans[PLANS_MAX]; // plans live until the program ends
static atomic_int plans_used;
static struct connection connections[THREADS_MAX];

static struct plan *plan_compile(int version)
{
    struct plan *made = &plans[atomic_fetch_add(&plans_used, 1)];
    made->version = version;
    for (int i = 0; i < STEPS; i++)
        made->step[i] = i + 1;
    return made;
}

static int plan_run(const struct plan *plan)
{
    int rows = 0;
    for (int i = 0; i < STEPS; i++)
        rows += plan->step[i];
    return rows;
}

// Makes sure that there is a plan.
static void statement_prepare(struct statement *of)
{
    if (of->plan == NULL)
        of->plan = plan_compile(atomic_load(&of->version));
}

// Runs the plan that is there now.
static void statement_run(struct statement *of, struct connection *by)
{
    struct plan *plan = of->plan;
    if (plan)
        by->rows += plan_run(plan);
    else
        by->missing++;
    by->executions++;
}

static void execute(struct statement *of, struct connection *by)
{
    pthread_mutex_lock(&of->lock);
    statement_prepare(of);
    statement_run(of, by);
    pthread_mutex_unlock(&of->lock);
}

static void schema_change(struct statement *of)
{
    pthread_mutex_lock(&of->lock);
    atomic_fetch_add(&of->version, 1);
    of->plan = NULL;
    pthread_mutex_unlock(&of->lock);
}

static void *query(void *arg)
{
    for (int i = 0; i < TIMES; i++)
        execute(&statement, arg);
    return NULL;
}

static void *alter(void *unused)
{
    (void)unused;
    schema_change(&statement);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : THREADS_MAX;
    if (count < 1 || count > THREADS_MAX)
        return 2;
    pthread_t thread[THREADS_MAX];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, i == 1 ? alter : query, &connections[i]);
    int missing = 0;
    for (int i = 0; i < count; i++) {
        pthread_join(thread[i], NULL);
        missing += connections[i].missing;
    }
    if (missing)
        printf("%d executions found no plan\n", missing);
    return missing != 0;
}
