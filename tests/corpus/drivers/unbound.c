/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to libunbound about names that it was given itself: two threads ask at once, and
 * then its own thread answers what was asked without waiting. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unbound.h>

enum { ASKING = 2, QUESTIONS = 2, TYPE_A = 1, CLASS_IN = 1 };

static struct ub_ctx *ctx;
static int answered;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void is_answer(const struct ub_result *result)
{
    const unsigned char wanted[4] = {192, 0, 2, 1};
    must(result->havedata && result->len[0] == 4 && memcmp(result->data[0], wanted, 4) == 0,
         "another answer");
}

static void *ask(void *unused)
{
    for (int i = 0; i < QUESTIONS; i++) {
        struct ub_result *result;
        must(ub_resolve(ctx, "here.test.", TYPE_A, CLASS_IN, &result) == 0, "resolve");
        is_answer(result);
        ub_resolve_free(result);
    }
    return unused;
}

static void on_answer(void *unused, int error, struct ub_result *result)
{
    (void)unused;
    must(error == 0, "answer");
    is_answer(result);
    answered++;
    ub_resolve_free(result);
}

int main(void)
{
    pthread_t threads[ASKING];
    ctx = ub_ctx_create();
    must(ctx != NULL, "context");
    must(ub_ctx_async(ctx, 1) == 0, "a thread, not a process");
    must(ub_ctx_zone_add(ctx, "test.", "static") == 0 &&
             ub_ctx_data_add(ctx, "here.test. IN A 192.0.2.1") == 0,
         "zone");
    for (int i = 0; i < ASKING; i++)
        must(pthread_create(&threads[i], NULL, ask, NULL) == 0, "thread");
    for (int i = 0; i < ASKING; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < QUESTIONS; i++)
        must(ub_resolve_async(ctx, "here.test.", TYPE_A, CLASS_IN, NULL, on_answer, NULL) == 0,
             "asked");
    must(ub_wait(ctx) == 0 && answered == QUESTIONS, "wait");
    ub_ctx_delete(ctx);
    puts("good");
    return 0;
}
