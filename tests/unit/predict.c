/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of predict/: what the random tests in tests/oracle do not have: sizes, atomics, frees,
 * one-event waits, events that are not modelled, traces that are no executions, and the
 * notation of queries. */
#include "predict/predict.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

struct made {
    struct trace t;
    struct model *m;
    struct predictor *p;
};

static struct made *predictor_of(const char *text, enum mode mode)
{
    struct made *d = mem_get(sizeof *d);
    struct bytes b;
    struct err err;
    *d = (struct made){0};
    CHECK(bytes_new(&b, strlen(text), &err) == 0);
    memcpy((void *)(uintptr_t)b.at, text, strlen(text));
    if (trace_open_bytes(&d->t, &b, "test", &err) < 0 ||
        !(d->m = model_build(&d->t, &(struct model_opts){.keep_all = true}, &err)) ||
        !(d->p = predictor_new(d->m, mode, &err))) {
        FAIL("%s", err.text);
        free(d);
        return NULL;
    }
    return d;
}

static void auto_made(struct made **d)
{
    if (!*d)
        return;
    EXPECT_EQ(predict_stat((*d)->p).refused, 0);
    predictor_free((*d)->p);
    model_free((*d)->m);
    trace_close(&(*d)->t);
    free(*d);
}

static enum answer answer(struct made *d, const char *line)
{
    struct query q;
    struct err err;
    if (query_parse(&q, text_of(line), &err) < 0) {
        FAIL("%s", err.text);
        return ANSWER_UNKNOWN;
    }
    return predict(d->p, &q, NULL);
}

TEST(a_common_lock_excludes_a_race)
{
    AUTO(made) struct made *d =
        predictor_of("T0 acquire L; T0 write x 1; T0 release L; T0 write y 1;"
                     "T1 acquire L; T1 write x 2; T1 release L; T1 write y 2",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 1 5"), ANSWER_NO);
    EXPECT_EQ(answer(d, "race 3 7"), ANSWER_YES);
    EXPECT_EQ(answer(d, "race 1 7"), ANSWER_NO); /* not even the same location */
}

/* What was asked together is answered, and forgotten before more is asked. */
TEST(questions_are_asked_in_rounds)
{
    AUTO(made) struct made *d = predictor_of("T0 write x 1; T1 write x 2", MODE_SOUND);
    struct query q;
    struct err err;
    REQUIRE(d && query_parse(&q, text_of("race 0 1"), &err) == 0);
    for (int i = 0; i < 2; i++) {
        enum answer answers[2] = {ANSWER_NO, ANSWER_NO};
        predict_all(d->p, (struct query[]){q, q}, 2, answers);
        EXPECT_EQ(answers[0], ANSWER_YES);
        EXPECT_EQ(answers[1], ANSWER_YES);
    }
}

TEST(a_deadlock_is_a_set_of_requests)
{
    AUTO(made) struct made *d =
        predictor_of("T0 acquire A; T0 acquire B; T0 release B; T0 release A;"
                     "T1 acquire B; T1 acquire A; T1 release A; T1 release B",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "dl 2 1 5"), ANSWER_YES);
    EXPECT_EQ(answer(d, "dl 2 5 1"), ANSWER_YES);
    EXPECT_EQ(answer(d, "dl 2 0 5"), ANSWER_NO);
}

TEST(accesses_conflict_where_they_overlap)
{
    AUTO(made) struct made *d = predictor_of(
        "T0 write x:4 1; T1 write x+2:1 7; T1 read x+4:1 0; T0 write x+3:2 1", MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 0 1"), ANSWER_YES);
    EXPECT_EQ(answer(d, "race 0 2"), ANSWER_NO);
    EXPECT_EQ(answer(d, "race 2 3"), ANSWER_YES);
}

TEST(a_read_of_two_writes_needs_both)
{
    AUTO(made) struct made *d =
        predictor_of("T0 write x:1 1; T1 write x+1:1 2; T2 read x:2 513; T2 branch explicit;"
                     "T2 write y 1; T0 write y 2; T1 write y 3",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "ord 2 4 0 0"), ANSWER_NO);
    EXPECT_EQ(answer(d, "ord 2 4 1 0"), ANSWER_NO);
    EXPECT_EQ(answer(d, "race 4 5"), ANSWER_YES);
}

TEST(atomics_do_not_race_with_each_other)
{
    AUTO(made) struct made *d = predictor_of("T0 store x 1 seq_cst; T1 rmw x 1 -> 2 seq_cst;"
                                             "T2 read x 2",
                                             MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 0 1"), ANSWER_NO);
    EXPECT_EQ(answer(d, "race 0 2"), ANSWER_YES);
    EXPECT_EQ(answer(d, "race 1 2"), ANSWER_YES);
}

/* What an update writes depends on what it read. */
TEST(an_update_that_sees_something_else_writes_something_else)
{
    const char *text = "T0 rmw x 0 -> 1 seq_cst; T1 rmw x 1 -> 2 seq_cst; T2 load x 2 seq_cst;"
                       "T2 branch explicit; T2 write y 1; T0 write y 2";
    for (enum mode mode = MODE_SOUND; mode <= MODE_CLASSIC; mode++) {
        AUTO(made) struct made *d = predictor_of(text, mode);
        REQUIRE(d);
        EXPECT_EQ(answer(d, "ord 2 1 0 0"), ANSWER_YES);
        EXPECT_EQ(answer(d, "ord 3 1 0 4 00"), ANSWER_NO);
        EXPECT_EQ(answer(d, "ord 2 4 0 0"), ANSWER_NO);
        EXPECT_EQ(answer(d, "race 4 5"), ANSWER_YES);
    }
}

TEST(the_success_of_a_compare_exchange_is_a_branch)
{
    AUTO(made) struct made *d = predictor_of(
        "T0 write y 1; T0 store x 1 seq_cst; T1 cas x 1 -> 2 seq_cst; T1 write y 2",
        MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 0 3"), ANSWER_NO);
    EXPECT_EQ(answer(d, "ord 2 2 1 0"), ANSWER_NO);
}

TEST(a_free_is_a_write_of_the_block)
{
    AUTO(made) struct made *d =
        predictor_of("T0 alloc heap#0:16; T0 write heap#0+8:8 1; T1 read heap#0+8:8 1;"
                     "T0 free heap#0",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 2 3"), ANSWER_YES);
    EXPECT_EQ(answer(d, "ord 2 3 2 0"), ANSWER_YES); /* use after free */
}

TEST(a_wait_in_one_line_orders)
{
    AUTO(made) struct made *d =
        predictor_of("T0|acq(L)|1\nT0|w(X)|2\nT0|wait(C)|2\nT1|acq(L)|3\nT1|notify(C)|4\n"
                     "T1|rel(L)|5\nT1|w(X)|6\nT0|w(X)|7\nT0|rel(L)|8\n",
                     MODE_SYNC);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 1 6"), ANSWER_YES);
    EXPECT_EQ(answer(d, "race 6 7"), ANSWER_YES);
    EXPECT_EQ(answer(d, "ord 2 7 3 0"), ANSWER_NO);
}

TEST(what_is_not_modelled_is_unknown_by_name)
{
    AUTO(made) struct made *d = predictor_of("T0 write x 1; T0 sem-post s 1; T1 sem-wait s 7;"
                                             "T1 write x 2",
                                             MODE_SOUND);
    REQUIRE(d);
    EXPECT_STR(predict_unmodelled(d->p), "semaphores that somebody else uses too");
    EXPECT_EQ(answer(d, "race 0 3"), ANSWER_UNKNOWN);
}

TEST(a_semaphore_that_starts_with_something)
{
    AUTO(made) struct made *d =
        predictor_of("T0 init s sem; T0 sem-post s 2; T1 sem-wait s 1; T1 write x 1;"
                     "T0 sem-wait s 0; T0 write x 2; T1 sem-post s 1; T2 sem-wait s 0;"
                     "T2 write x 3",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 3 5"), ANSWER_YES);
    EXPECT_EQ(answer(d, "race 3 8"), ANSWER_YES); /* T0 has not taken its turn */
    EXPECT_EQ(answer(d, "ord 3 5 8 3 00"), ANSWER_NO);
}

TEST(readers_exclude_writers_only)
{
    AUTO(made) struct made *d =
        predictor_of("T0 acquire l shared; T0 write x 1; T0 release l shared;"
                     "T1 acquire l shared; T1 write x 2; T1 release l shared;"
                     "T2 acquire l; T2 write x 3; T2 release l",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 1 4"), ANSWER_YES);
    EXPECT_EQ(answer(d, "race 1 7"), ANSWER_NO);
}

TEST(a_deadlock_of_readers_and_a_join)
{
    AUTO(made) struct made *e = predictor_of(
        "T0 create T1; T1 acquire l; T1 release l; T0 acquire l shared; T0 join T1",
        MODE_SOUND);
    REQUIRE(e);
    EXPECT_EQ(answer(e, "dl 2 1 4"), ANSWER_YES);
    AUTO(made) struct made *f =
        predictor_of("T0 create T1; T1 acquire l shared; T1 release l shared;"
                     "T0 acquire l shared; T0 join T1",
                     MODE_SOUND);
    REQUIRE(f);
    EXPECT_EQ(answer(f, "dl 2 1 4"), ANSWER_NO);
}

TEST(an_object_is_another_after_its_init)
{
    AUTO(made) struct made *d =
        predictor_of("T0 init b barrier; T0 arrive b 0; T1 arrive b 0; T1 depart b 0;"
                     "T0 depart b 0; T0 init b barrier; T0 arrive b 0; T2 write x 1;"
                     "T2 arrive b 0; T2 depart b 0; T0 depart b 0; T0 write x 2",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_STR(predict_broken(d->p), "");
    EXPECT_EQ(answer(d, "race 7 11"), ANSWER_NO);
}

TEST(a_robust_lock_keeps_its_order)
{
    AUTO(made) struct made *d =
        predictor_of("T0 acquire l; T0 write x 1; T0 release l abandoned;"
                     "T1 acquire l abandoned; T1 write x 2; T1 release l; T1 write y 1;"
                     "T0 write y 2",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "ord 2 4 1 0"), ANSWER_NO);
    EXPECT_EQ(answer(d, "race 6 7"), ANSWER_YES);
}

TEST(a_trace_that_is_no_execution_excludes_nothing)
{
    AUTO(made) struct made *d =
        predictor_of("T0|acq(L)|1\nT1|acq(L)|2\nT0|w(X)|3\nT1|w(X)|4\n", MODE_CLASSIC);
    REQUIRE(d);
    EXPECT_STR(predict_broken(d->p), "event 1 cannot happen as recorded: the lock is not free");
    EXPECT_EQ(answer(d, "race 2 3"), ANSWER_UNKNOWN);
}

TEST(a_yes_comes_with_its_witness)
{
    AUTO(made) struct made *d =
        predictor_of("T0 write y 1; T0 write x 1; T1 write x 2", MODE_SOUND);
    AUTO(witness) struct witness w = {0};
    struct query q = {.kind = QUERY_ORDER, .count = 2, .number = {2, 0}};
    REQUIRE(d);
    EXPECT_EQ(predict(d->p, &q, &w), ANSWER_YES);
    REQUIRE(w.order.len == 2);
    EXPECT_EQ(w.order.at[0], 2);
    EXPECT_EQ(w.order.at[1], 0);
}

TEST(queries_that_make_no_sense_are_refused)
{
    static const char *const lines[] = {"race 1",       "race 1 x",    "dl 0",     "dl 99 1",
                                        "ord 2 1 2 01", "ord 2 1 2 x", "what 1 2", "av 1 2"};
    struct query q;
    struct err err;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        EXPECT(query_parse(&q, text_of(lines[i]), &err) < 0);
    REQUIRE(query_parse(&q, TEXT("ord 3 7 8 9 01"), &err) == 0);
    EXPECT_EQ(q.adjacent, 2);
    EXPECT_EQ(q.count, 3);
    EXPECT_EQ(q.number[2], 9);
}

/* An order against the trace needs a window; one that may cost nothing is not opened. */
TEST(too_much_work_leaves_it_undecided)
{
    AUTO(made) struct made *d =
        predictor_of("T0 write x 1; T0 write y 1; T1 write x 2; T1 write y 2", MODE_SYNC);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "ord 2 3 0 0"), ANSWER_YES);
    predict_limit(d->p, 10);
    EXPECT_EQ(answer(d, "ord 2 3 0 0"), ANSWER_UNKNOWN);
    EXPECT_EQ(predict_stat(d->p).too_long, 1);
    EXPECT_EQ(answer(d, "race 0 2"), ANSWER_YES); /* as recorded */
}

TEST(relaxed_publication_is_a_race_of_the_memory_model)
{
    const char *const text =
        "T0 write data 1; T0 store flag 1 %s; T1 load flag 1 %s; T1 branch;"
        "T1 read data 1";
    static const struct {
        const char *store, *load;
        enum answer weak;
    } cases[] = {
        {"relaxed", "relaxed", ANSWER_YES},     {"release", "relaxed", ANSWER_YES},
        {"relaxed", "acquire", ANSWER_YES},     {"release", "acquire", ANSWER_UNKNOWN},
        {"seq_cst", "seq_cst", ANSWER_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char whole[256];
        snprintf(whole, sizeof whole, text, cases[i].store, cases[i].load);
        AUTO(made) struct made *d = predictor_of(whole, MODE_SOUND);
        REQUIRE(d);
        EXPECT_EQ(answer(d, "race 0 4"), ANSWER_NO);
        EXPECT_EQ(answer(d, "weak 0 4"), cases[i].weak);
        EXPECT_EQ(answer(d, "weak 1 2"), ANSWER_NO); /* both are atomic */
    }
}

TEST(fences_and_updates_pass_on_what_is_known)
{
    AUTO(made) struct made *d =
        predictor_of("T0 write data 1; T0 fence release; T0 store flag 1 relaxed;"
                     "T1 rmw flag 1 -> 2 relaxed; T2 load flag 2 relaxed; T2 branch;"
                     "T2 fence acquire; T2 read data 1",
                     MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "weak 0 7"), ANSWER_UNKNOWN);
    AUTO(made) struct made *e =
        predictor_of("T0 write data 1; T0 fence release; T0 store flag 1 relaxed;"
                     "T1 rmw flag 1 -> 2 relaxed; T2 load flag 2 relaxed; T2 branch;"
                     "T2 read data 1",
                     MODE_SOUND);
    REQUIRE(e);
    EXPECT_EQ(answer(e, "weak 0 6"), ANSWER_YES);
}

TEST(input_with_bytes_keeps_its_order)
{
    AUTO(made) struct made *d = predictor_of(
        "T0 write x 1; T0 input 0 len 4; T1 input 1 len 4; T1 write x 2", MODE_SOUND);
    REQUIRE(d);
    EXPECT_EQ(answer(d, "race 0 3"), ANSWER_NO);
    AUTO(made) struct made *e =
        predictor_of("T0 write x 1; T0 input 0; T1 input 1; T1 write x 2", MODE_SOUND);
    REQUIRE(e);
    EXPECT_EQ(answer(e, "race 0 3"), ANSWER_YES);
}
