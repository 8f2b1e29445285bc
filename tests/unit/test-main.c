/* SPDX-License-Identifier: Apache-2.0
 *
 * test-main: runs the tests of one binary and prints TAP 13.
 *
 *     build/unit/model                  every test
 *     build/unit/model closure undo     those with "closure" or "undo" in their names
 *     build/unit/model =order_undo      exactly that one (tests/run asks like this)
 *     build/unit/model --list           the names only
 *
 * Every line is flushed at once, so that a crash shows which test was running. */
#include "test.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct test *tests, **tests_end = &tests;
static bool failed; /* the running test */

void test_add(struct test *test)
{
    *tests_end = test;
    tests_end = &test->next;
}

/* TAP wants "# " before every line of a diagnostic. */
static void print_note(const char *text)
{
    fputs("# ", stdout);
    for (; *text; text++) {
        putchar(*text);
        if (*text == '\n')
            fputs("#   ", stdout);
    }
    putchar('\n');
    fflush(stdout);
}

void test_fail(const char *file, int line, const char *format, ...)
{
    failed = true;
    char *what = NULL, *note = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&what, format, args) < 0 ||
        asprintf(&note, "%s:%d: %s", file, line, what) < 0)
        abort();
    va_end(args);
    print_note(note);
    free(what);
    free(note);
}

static void print_int(char *out, size_t size, __int128 value)
{
    if (value < 0)
        snprintf(out, size, "%lld", (long long)value);
    else
        snprintf(out, size, "%llu (%#llx)", (unsigned long long)value,
                 (unsigned long long)value);
}

bool test_eq(const char *file, int line, const char *text, __int128 a, __int128 b)
{
    if (a == b)
        return true;
    char left[64], right[64];
    print_int(left, sizeof left, a);
    print_int(right, sizeof right, b);
    test_fail(file, line, "expected: %s\nleft:  %s\nright: %s", text, left, right);
    return false;
}

bool test_str(const char *file, int line, const char *text, const char *a, const char *b)
{
    if (a == b || (a && b && strcmp(a, b) == 0))
        return true;
    const char *quote_a = a ? "\"" : "", *quote_b = b ? "\"" : "";
    test_fail(file, line, "expected: %s\nleft:  %s%s%s\nright: %s%s%s", text, quote_a,
              a ? a : "NULL", quote_a, quote_b, b ? b : "NULL", quote_b);
    return false;
}

bool test_aborts(void (*run)(void *), void *arg)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        run(arg);
        _exit(0);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}

static bool is_wanted(const struct test *test, int count, char **parts)
{
    for (int i = 0; i < count; i++)
        if (parts[i][0] == '=' ? !strcmp(test->name, parts[i] + 1)
                               : strstr(test->name, parts[i]) != NULL)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (struct test *t = tests; t; t = t->next)
            puts(t->name);
        return 0;
    }

    int planned = 0, done = 0, bad = 0;
    for (struct test *t = tests; t; t = t->next)
        planned += is_wanted(t, argc - 1, argv + 1);
    printf("TAP version 13\n1..%d\n", planned);
    fflush(stdout);
    for (struct test *t = tests; t; t = t->next) {
        if (!is_wanted(t, argc - 1, argv + 1))
            continue;
        failed = false;
        t->run();
        bad += failed;
        printf("%s %d - %s\n", failed ? "not ok" : "ok", ++done, t->name);
        fflush(stdout);
    }
    return bad ? 1 : 0;
}
