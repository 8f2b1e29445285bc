/* SPDX-License-Identifier: Apache-2.0
 *
 * each-test: see each-test.h. Each test is checked by a `heddle check` of its own, with its own
 * budget and place for its files: a test that crashes or takes for ever costs the others
 * nothing. The findings are merged by id. */
#include "cmd/each-test.h"

#include "base/capture.h"
#include "base/self.h"
#include "cmd/cmd.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef VEC(const char *) names;

struct suite {
    struct arena mem;
    names tests;        /* as the program's own filter takes them */
    const char *filter; /* "--gtest_filter=", or "" */
};

/* ---- which tests there are -------------------------------------------------------------- */

/* What the program prints with these words; it runs as if it were not ours. */
static int ask(struct str *out, char *const *argv, const char *first, const char *second,
               const char *third)
{
    char *words[] = {argv[0], (char *)(uintptr_t)first, (char *)(uintptr_t)second,
                     (char *)(uintptr_t)third, NULL};
    out->len = 0;
    return capture(out, words, NULL);
}

static const char *keep(struct suite *s, const char *at, size_t len)
{
    while (len > 0 && (at[len - 1] == ' ' || at[len - 1] == '\r'))
        len--;
    return arena_text(&s->mem, at, len);
}

/* "Suite." and below it, indented, its tests; comments begin with "  #". */
static bool read_google(struct suite *s, const char *text)
{
    const char *suite = NULL;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t len = strcspn(at, "\n");
        const char *comment = memmem(at, len, "  # ", 4);
        size_t name = comment ? (size_t)(comment - at) : len;
        if (len > 2 && at[0] == ' ' && at[1] == ' ' && suite) {
            AUTO(str) struct str test = {0};
            str_add(&test, "%s%.*s", suite, (int)name - 2, at + 2);
            if (!strstr(test.at, "DISABLED_"))
                vec_push(&s->tests, keep(s, test.at, test.len));
        } else {
            suite = name > 1 && at[name - 1] == '.' ? keep(s, at, name) : NULL;
        }
    }
    s->filter = "--gtest_filter=";
    return s->tests.len > 0;
}

/* A name a line; what its filters would read otherwise than as a letter is escaped. */
static bool read_catch(struct suite *s, const char *text)
{
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        AUTO(str) struct str test = {0};
        size_t len = strcspn(at, "\n");
        for (size_t i = 0; i < len; i++) {
            if (strchr(",[]*\\\"", at[i]))
                str_char(&test, '\\');
            str_char(&test, at[i]);
        }
        if (len > 0 && at[0] != ' ')
            vec_push(&s->tests, keep(s, test.at, test.len));
    }
    s->filter = "";
    return s->tests.len > 0;
}

/* Catch2 says its name in its help; of an older version the answer is the number of tests. */
static bool find_tests(struct suite *s, char *const *argv)
{
    AUTO(str) struct str text = {0};
    if (ask(&text, argv, "--gtest_list_tests", NULL, NULL) == 0 && text.len > 0 &&
        read_google(s, text.at))
        return true;
    if (ask(&text, argv, "--help", NULL, NULL) < 0 || !text.at || !strstr(text.at, "Catch"))
        return false;
    if (ask(&text, argv, "--list-tests", "--verbosity", "quiet") == 0 && text.len > 0 &&
        !strstr(text.at, "All available test cases"))
        return read_catch(s, text.at);
    return ask(&text, argv, "--list-test-names-only", NULL, NULL) >= 0 && text.len > 0 &&
           read_catch(s, text.at);
}

/* ---- one of them ------------------------------------------------------------------------ */

struct one {
    struct str store, result; /* where its files go; what the check says, as JSON */
    int code;
};

static void one_done(struct one *o)
{
    str_done(&o->store);
    str_done(&o->result);
}

/* Where the child prints, and what it keeps. */
static void set_up(const void *context)
{
    const struct one *o = context;
    int result = open(o->result.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (result < 0 || quiet < 0 || dup2(result, STDOUT_FILENO) < 0 ||
        dup2(quiet, STDERR_FILENO) < 0 || setenv("HEDDLE_STORE", o->store.at, 1) < 0)
        _exit(EXIT_WORLD);
}

static int check_one(struct one *o, const struct suite *s, const char *test,
                     char *const *options, uint32_t option_count, char *const *argv,
                     struct err *err)
{
    AUTO(str) struct str self = {0}, filter = {0};
    VEC(char *) words = {0};
    static char check[] = "check", json[] = "--json", dashes[] = "--";
    self_path(&self);
    str_add(&filter, "%s%s", s->filter, test);
    vec_push(&words, self.at);
    vec_push(&words, check);
    for (uint32_t i = 0; i < option_count; i++)
        vec_push(&words, options[i]);
    vec_push(&words, json);
    vec_push(&words, dashes);
    for (char *const *a = argv; *a; a++)
        vec_push(&words, *a);
    vec_push(&words, filter.at);
    vec_push(&words, NULL);
    o->code = self_run(words.at, set_up, o, err);
    vec_done(&words);
    return o->code < 0 ? -1 : 0;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* Takes it over; the test gets the ids of what is shown. */
static void merge(struct finding_list *l, struct finding_list *from, struct finding_test *test)
{
    arena_adopt(&l->mem, &from->mem);
    for (uint32_t i = 0; i < from->findings.len; i++) {
        if (finding_is_shown(&from->findings.at[i]))
            vec_push(&test->ids, from->findings.at[i].id);
        finding_merge(l, &from->findings.at[i]);
    }
    for (uint32_t i = 0; i < from->accounts.len; i++)
        account_add(l, &from->accounts.at[i]);
    for (uint32_t i = 0; i < from->unseen.len; i++)
        if (l->unseen.len < 20)
            vec_push(&l->unseen, from->unseen.at[i]);
    l->events += from->events;
    l->threads = l->threads > from->threads ? l->threads : from->threads;
    l->runs += from->runs;
    if (from->stopped_early)
        test->trouble = "stopped early: not everything was looked at";
    from->findings.len = 0;
    finding_list_done(from);
}

static int look_at(struct finding_list *out, const struct suite *s, uint32_t i,
                   const char *place, char *const *options, uint32_t option_count,
                   char *const *argv, struct err *err)
{
    struct one o = {.code = 0};
    struct finding_list own = {0};
    struct finding_test test = {
        .name = arena_text(&out->mem, s->tests.at[i], strlen(s->tests.at[i])), .trouble = ""};
    str_add(&o.store, "%s/%u", place, i + 1);
    str_add(&o.result, "%s/result.json", o.store.at);
    run_remove_tree(o.store.at);
    int result = directory_make(o.store.at, err);
    if (result == 0)
        result = check_one(&o, s, s->tests.at[i], options, option_count, argv, err);
    bool is_done = o.code == EXIT_GOOD || o.code == EXIT_BAD || o.code == EXIT_UNDECIDED;
    struct err why;
    if (result == 0 && is_done && finding_list_read(&own, o.result.at, &why) == 0)
        merge(out, &own, &test);
    else if (result == 0)
        test.trouble = "it could not be checked";
    if (result == 0) {
        cmd_note("[%u/%u] %s: %u finding%s%s%s", i + 1, s->tests.len, test.name, test.ids.len,
                 test.ids.len == 1 ? "" : "s", *test.trouble ? "; " : "", test.trouble);
        vec_push(&out->tests, test);
    }
    one_done(&o);
    return result;
}

static int save(struct finding_list *l, const char *store, struct err *err)
{
    AUTO(str) struct str path = {0}, text = {0};
    finding_list_sort(l);
    finding_list_print(l, &text);
    str_add(&path, "%.*sfindings.json", (int)(strlen(store) - strlen("runs")), store);
    return file_write(path.at, text.at, text.len, err);
}

static void tell_program(struct finding_list *l, char *const *argv)
{
    AUTO(str) struct str text = {0};
    for (char *const *a = argv; *a; a++)
        str_add(&text, "%s%s", a == argv ? "" : " ", *a);
    l->program = arena_text(&l->mem, text.at, text.len);
    l->outcome = "";
}

int each_test(struct finding_list *out, char *const *options, uint32_t option_count,
              char *const *argv)
{
    AUTO(str) struct str store = {0}, place = {0};
    struct suite s = {.filter = ""};
    struct err err;
    if (!find_tests(&s, argv)) {
        cmd_note("check: --each-test: %s tells no tests as GoogleTest or Catch2 do "
                 "(--gtest_list_tests, --list-tests)",
                 argv[0]);
        return EXIT_USAGE;
    }
    tell_program(out, argv);
    int result = run_store(&store, argv[0], &err);
    if (result == 0) {
        str_add(&place, "%.*stests", (int)(store.len - strlen("runs")), store.at);
        result = directory_make(place.at, &err);
    }
    for (uint32_t i = 0; result == 0 && i < s.tests.len && !run_signal(); i++)
        result = look_at(out, &s, i, place.at, options, option_count, argv, &err);
    finding_list_stop(out);
    if (result == 0)
        result = save(out, store.at, &err);
    vec_done(&s.tests);
    arena_done(&s.mem);
    return result < 0 ? cmd_fail(EXIT_WORLD, &err) : EXIT_GOOD;
}
