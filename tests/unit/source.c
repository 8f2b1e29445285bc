/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of source/: what a section, a new member and a new declaration make of a text. Whole
 * programs with awkward sections are in tests/golden/source. */
#include "source/source.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made {
    struct unit u;
    struct unit_opts opts;
    struct patch p;
    struct err err;
    char path[256];
    bool is_open;
};

static bool made_init(struct made *m, const char *name, const char *text)
{
    *m = (struct made){0};
    const char *directory = getenv("TMPDIR");
    snprintf(m->path, sizeof m->path, "%s/%s", directory ? directory : "/tmp", name);
    if (file_write(m->path, text, strlen(text), &m->err) < 0) {
        FAIL("%s", m->err.text);
        return false;
    }
    m->opts =
        (struct unit_opts){.source = m->path, .directory = directory ? directory : "/tmp"};
    m->is_open = unit_open(&m->u, &m->opts, &m->err) == 0;
    if (!m->is_open)
        FAIL("%s", m->err.text);
    return m->is_open;
}

static void made_done(struct made *m)
{
    patch_done(&m->p);
    if (m->is_open)
        unit_close(&m->u);
    remove(m->path);
}

/* The smallest node at the first place where the text stands. */
static node_id node_with(const struct made *m, const char *text)
{
    const struct source_file *f = &m->u.files.at[0];
    const char *at = memmem(f->text.at, f->text.len, text, strlen(text));
    return at ? node_at(&m->u, 0, (uint32_t)(at - f->text.at)) : NONE;
}

static int section(struct made *m, const char *from, const char *to, const char *lock)
{
    struct lock_use use = {.sort = m->u.is_cxx ? LOCK_CXX : LOCK_PTHREAD, .expression = lock};
    struct range r;
    if (range_of(&m->u, node_with(m, from), node_with(m, to), &r, &m->err) < 0 ||
        section_fit(&m->u, &use, &r, &m->err) < 0 ||
        section_make(&m->u, r, &use, &m->p, &m->err) < 0)
        return -1;
    unit_flush(&m->u, &m->p);
    return 0;
}

/* The new text still parses without new warnings, and is this. */
static void expect_text(struct made *m, const char *wanted)
{
    AUTO(str) struct str out = {0};
    if (patch_check(&m->p, &m->u, &m->opts, &m->err) < 0 ||
        patch_apply(&m->p, m->u.files.at[0].path, m->u.files.at[0].text, &out, &m->err) < 0)
        FAIL("%s", m->err.text);
    else
        EXPECT_STR(out.at, wanted);
}

static int member(struct made *m, const char *record)
{
    patch_files done = {0};
    node_id n = NONE;
    for (node_id i = 1; i < m->u.nodes.len; i++)
        if (m->u.nodes.at[i].kind == NODE_RECORD && strcmp(m->u.nodes.at[i].name, record) == 0)
            n = i;
    member_declare(&m->u, n, "pthread_mutex_t lock;", &m->p);
    int failed = member_prepare(&m->u, n, "lock", &done, &m->p, &m->err);
    vec_done(&done);
    if (!failed)
        unit_flush(&m->u, &m->p);
    return failed;
}

#define HEAD "#include <pthread.h>\n#include <stdlib.h>\n"
#define INIT "PTHREAD_MUTEX_INITIALIZER"

/* ---- members ---------------------------------------------------------------------------- */

TEST(a_lock_is_ready_behind_the_allocation_and_destroyed_before_the_free)
{
    struct made m;
    if (made_init(&m, "heap.c",
                  HEAD "struct t { int n;\n};\n"
                       "struct t *make(void)\n{\n    struct t *p = malloc(sizeof *p);\n"
                       "    if (!p)\n        return NULL;\n    p->n = 1;\n    return p;\n}\n"
                       "void drop(struct t *p)\n{\n    free(p);\n}\n")) {
        EXPECT_EQ(member(&m, "t"), 0);
        expect_text(&m, HEAD
                    "struct t { int n;\npthread_mutex_t lock;\n};\n"
                    "struct t *make(void)\n{\n    struct t *p = malloc(sizeof *p);\n"
                    "    if (!p)\n        return NULL;\n"
                    "    pthread_mutex_init(&p->lock, NULL);\n    p->n = 1;\n    return p;\n}\n"
                    "void drop(struct t *p)\n{\n    pthread_mutex_destroy(&p->lock);\n"
                    "    free(p);\n}\n");
    }
    made_done(&m);
}

TEST(a_function_that_makes_objects_ready_makes_their_locks_ready)
{
    struct made m;
    if (made_init(&m, "maker.c",
                  HEAD "#include <string.h>\nstruct t {\n    int n;\n};\n"
                       "struct two {\n    struct t a, b;\n};\n"
                       "void t_init(struct t *p)\n{\n    memset(p, 0, sizeof *p);\n"
                       "    p->n = 1;\n}\n"
                       "void t_done(struct t *p)\n{\n    p->n = 0;\n}\n")) {
        EXPECT_EQ(member(&m, "t"), 0);
        expect_text(
            &m,
            HEAD "#include <string.h>\nstruct t {\n    int n;\n    pthread_mutex_t lock;\n};\n"
                 "struct two {\n    struct t a, b;\n};\n"
                 "void t_init(struct t *p)\n{\n    memset(p, 0, sizeof *p);\n"
                 "    pthread_mutex_init(&p->lock, NULL);\n    p->n = 1;\n}\n"
                 "void t_done(struct t *p)\n{\n    p->n = 0;\n"
                 "    pthread_mutex_destroy(&p->lock);\n}\n");
    }
    made_done(&m);
}

TEST(variables_get_their_lock_from_an_initialiser)
{
    struct made m;
    if (made_init(
            &m, "static.c",
            HEAD
            "struct t {\n    int a, b;\n};\n"
            "struct t plain;\nstruct t set = {1, 2};\nstruct t named = {.a = 1, .b = 2,};\n"
            "extern struct t other;\nstruct t row[2] = {{1, 2}, {3, 4}};\n"
            "struct t many[3];\n")) {
        EXPECT_EQ(member(&m, "t"), 0);
        expect_text(&m, HEAD "struct t {\n    int a, b;\n    pthread_mutex_t lock;\n};\n"
                             "struct t plain = {.lock = " INIT "};\n"
                             "struct t set = {1, 2, .lock = " INIT "};\n"
                             "struct t named = {.a = 1, .b = 2, .lock = " INIT "};\n"
                             "extern struct t other;\n"
                             "struct t row[2] = {{1, 2, .lock = " INIT "}, {3, 4, .lock = " INIT
                             "}};\n"
                             "struct t many[3] = {[0 ... 3 - 1] = {.lock = " INIT "}};\n");
    }
    made_done(&m);
}

#define GROUPED HEAD "struct t {\n    int a, b;\n"
#define LIST "};\nstruct t set = {\n    1,\n#ifndef X\n    2"

TEST(an_initialiser_may_end_in_an_if_group)
{
    struct made m;
    if (made_init(&m, "group.c", GROUPED LIST ",\n#endif\n};\n")) {
        EXPECT_EQ(member(&m, "t"), 0);
        expect_text(&m, GROUPED "    pthread_mutex_t lock;\n" LIST ",\n#endif\n"
                                "    .lock = " INIT ",\n};\n");
    }
    made_done(&m);
}

TEST(an_initialiser_that_ends_in_an_if_group_without_a_comma_is_left_alone)
{
    struct made m;
    if (made_init(&m, "divided.c", GROUPED LIST "\n#endif\n};\n")) {
        EXPECT_EQ(member(&m, "t"), 0);
        EXPECT(patch_check(&m.p, &m.u, &m.opts, &m.err) < 0);
        EXPECT(strstr(m.err.text, "preprocessor lines divide") != NULL);
    }
    made_done(&m);
}

TEST(a_record_whose_objects_cannot_all_be_reached_gets_no_lock)
{
    static const char *const texts[] = {
        "void f(struct t x);\n",                                    /* by value */
        "struct t f(void);\n",                                      /* returned */
        "struct t *f(void) { return malloc(sizeof(struct t)); }\n", /* no name */
        "struct t *f(int n) { struct t *p = calloc((size_t)n, sizeof *p); return p; }\n",
        "struct u { struct t inner; };\n",                 /* nobody makes it ready */
        "void f(struct t *a, struct t *b) { *a = *b; }\n", /* copied */
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct made m;
        char text[512];
        snprintf(text, sizeof text, HEAD "struct t {\n    int n;\n};\n%s", texts[i]);
        if (made_init(&m, "refused.c", text) && member(&m, "t") == 0)
            FAIL("a lock was added: %s", texts[i]);
        made_done(&m);
    }
}

/* ---- sections of an object's lock ------------------------------------------------------- */

#define OBJECT \
    HEAD "struct t {\n    pthread_mutex_t lock;\n    int n;\n    struct t *next;\n};\n"

TEST(an_object_that_is_freed_gives_its_lock_back_first)
{
    struct made m;
    if (made_init(&m, "freed.c",
                  OBJECT "void put(struct t *p)\n{\n    p->n--;\n    if (p->n == 0) {\n"
                         "        free(p);\n    }\n}\n")) {
        EXPECT_EQ(section(&m, "p->n--", "if (p->n", "p->lock"), 0);
        expect_text(
            &m, OBJECT
            "void put(struct t *p)\n{\n    pthread_mutex_lock(&p->lock);\n"
            "    p->n--;\n    if (p->n == 0) {\n        pthread_mutex_unlock(&p->lock);\n"
            "        free(p);\n        return;\n    }\n"
            "    pthread_mutex_unlock(&p->lock);\n}\n");
    }
    made_done(&m);
}

TEST(a_section_ends_before_a_free_that_follows_in_it)
{
    struct made m;
    if (made_init(&m, "last.c",
                  OBJECT "void drop(struct t *p)\n{\n    p->n--;\n    free(p);\n}\n")) {
        EXPECT_EQ(section(&m, "p->n--", "free(p)", "p->lock"), 0);
        expect_text(&m, OBJECT "void drop(struct t *p)\n{\n    pthread_mutex_lock(&p->lock);\n"
                               "    p->n--;\n    pthread_mutex_unlock(&p->lock);\n"
                               "    free(p);\n}\n");
    }
    made_done(&m);
}

#define OWN_WORDS                                                                    \
    OBJECT                                                                           \
    "static void t_lock(struct t *p)\n{\n    if (pthread_mutex_lock(&p->lock))\n"    \
    "        abort();\n}\n"                                                          \
    "static void t_unlock(struct t *p)\n{\n    pthread_mutex_unlock(&p->lock);\n}\n" \
    "static void t_add(struct t *p)\n{\n    t_lock(p);\n    p->n++;\n    t_unlock(p);\n}\n"

TEST(a_section_is_written_in_the_programs_own_words)
{
    struct made m;
    if (made_init(&m, "own.c",
                  OWN_WORDS "static struct t one;\nvoid drop(struct t *p)\n{\n    p->n--;\n"
                            "    one.n--;\n}\n")) {
        EXPECT_EQ(section(&m, "p->n--", "p->n--", "p->lock"), 0);
        expect_text(&m, OWN_WORDS "static struct t one;\nvoid drop(struct t *p)\n{\n"
                                  "    t_lock(p);\n    p->n--;\n    t_unlock(p);\n"
                                  "    one.n--;\n}\n");
    }
    made_done(&m);
}

TEST(what_a_wrapper_takes_is_held)
{
    struct made m;
    if (made_init(&m, "held.c",
                  OWN_WORDS "void f(struct t *p)\n{\n    t_lock(p);\n"
                            "    p->n--;\n    t_unlock(p);\n}\n"
                            "static struct t one;\nvoid g(void)\n{\n"
                            "    t_lock(&one);\n    t_add(&one);\n}\n")) {
        enum lock_sort sort;
        const struct unit *u = &m.u;
        EXPECT_EQ(lock_step(u,
                            node_statement(u, node_with(&m, "t_unlock(p);\n}\nstatic struct")),
                            "p->lock"),
                  -1);
        const char *lock =
            call_lock(&m.u, node_statement(u, node_with(&m, "t_lock(&one)")), &sort);
        EXPECT_STR(lock ? lock : "", "one.lock");
        /* it does more than that */
        EXPECT(!call_lock(&m.u, node_statement(u, node_with(&m, "t_add(&one)")), &sort));
    }
    made_done(&m);
}

TEST(what_reaches_to_the_block_around_it_is_the_block)
{
    struct made m;
    struct range r = {NONE, NONE};
    if (made_init(
            &m, "block.c",
            "int n;\nvoid f(void)\n{\n    {\n        n = 1;\n        n = 2;\n    }\n}\n")) {
        node_id block = node_with(&m, "{\n        n = 1");
        EXPECT(range_of(&m.u, node_with(&m, "n = 2"), block, &r, &m.err) == 0);
        EXPECT(r.first == block && r.last == block);
    }
    made_done(&m);
}

TEST(a_lock_whose_object_changes_inside_is_refused)
{
    static const struct {
        const char *body, *from, *to;
    } rows[] = {
        {"    p->n++;\n    p = p->next;\n    p->n++;\n", "p->n++", "p->n++;\n}"},
        {"    for (struct t *q = p; q; q = q->next)\n        q->n++;\n", "for", "q->n++"},
    };
    for (unsigned i = 0; i < 2; i++) {
        struct made m;
        char text[512];
        snprintf(text, sizeof text, OBJECT "void f(struct t *p)\n{\n%s}\n", rows[i].body);
        if (made_init(&m, "changes.c", text)) {
            EXPECT_EQ(section(&m, rows[i].from, rows[i].to, i ? "q->lock" : "p->lock"), -1);
            EXPECT(strstr(m.err.text, "inside the section") != NULL);
        }
        made_done(&m);
    }
}

TEST(a_guard_that_is_there_stays)
{
    struct made m;
    static const char text[] = "#include <mutex>\nstatic std::mutex m;\nstatic int n;\n"
                               "int f()\n{\n    std::lock_guard<std::mutex> hold(m);\n"
                               "    n++;\n    return n;\n}\n";
    if (made_init(&m, "guard.cpp", text)) {
        EXPECT_EQ(section(&m, "n++", "return n", "m"), 0);
        EXPECT_EQ(m.p.edits.len, 0);
    }
    made_done(&m);
}

/* ---- declarations ----------------------------------------------------------------------- */

static void expect_include(const char *text, const char *wanted)
{
    struct made m;
    if (made_init(&m, "include.c", text)) {
        include_header(&m.u, 0, "pthread.h", &m.p);
        expect_text(&m, wanted);
    }
    made_done(&m);
}

TEST(an_include_stands_where_a_person_would_put_it)
{
    expect_include("int x;\n", "#include <pthread.h>\n\nint x;\n");
    expect_include("#ifndef A\n#define A\n\nint x;\n#endif\n",
                   "#ifndef A\n#define A\n\n#include <pthread.h>\n\nint x;\n#endif\n");
    expect_include("#ifndef A\n#define A\n#include <pthread.h>\nint x;\n#endif\n",
                   "#ifndef A\n#define A\n#include <pthread.h>\nint x;\n#endif\n");
    expect_include("// what\n#pragma once\n\nint x;\n",
                   "// what\n#pragma once\n\n#include <pthread.h>\n\nint x;\n");
    expect_include("#include <errno.h>\n#include <stdio.h>\nint x;\n",
                   "#include <errno.h>\n#include <pthread.h>\n#include <stdio.h>\nint x;\n");
    expect_include("#define BEGIN\nBEGIN\n#include <stdio.h>\nint x;\n", /* no statement */
                   "#define BEGIN\nBEGIN\n#include <pthread.h>\n#include <stdio.h>\nint x;\n");
    expect_include("#ifdef X\n#include <pthread.h>\n#endif\nint x;\n",
                   "#include <pthread.h>\n\n#ifdef X\n#include <pthread.h>\n#endif\nint x;\n");
}

/* ---- ways out --------------------------------------------------------------------------- */

/* Runs the function with every argument from 0 to 7, before and after; the lock must be free
 * behind it, and the results the same. */
static void expect_same(const char *body, const char *from, const char *to)
{
    struct made m;
    char text[2048];
    snprintf(text, sizeof text,
             "#include <pthread.h>\n#include <stdio.h>\n"
             "static pthread_mutex_t m = " INIT ";\nstatic int shared;\n"
             "static int f(int x)\n{\n%s}\n"
             "int main(void)\n{\n    for (int x = 0; x < 8; x++) {\n"
             "        printf(\"%%d %%d\\n\", f(x), shared);\n"
             "        if (pthread_mutex_trylock(&m))\n            return 1;\n"
             "        pthread_mutex_unlock(&m);\n    }\n    return 0;\n}\n",
             body);
    if (made_init(&m, "ways.c", text)) {
        AUTO(str) struct str new = {0};
        if (section(&m, from, to, "m") < 0 || patch_check(&m.p, &m.u, &m.opts, &m.err) < 0 ||
            patch_apply(&m.p, m.u.files.at[0].path, m.u.files.at[0].text, &new, &m.err) < 0) {
            FAIL("%s: %s", body, m.err.text);
        } else {
            char path[300], command[2048];
            snprintf(path, sizeof path, "%s.new.c", m.path);
            REQUIRE(file_write(path, new.at, new.len, &m.err) == 0);
            snprintf(
                command, sizeof command,
                "for c in gcc clang-19; do $c -Wall -Wextra -Werror -pthread -o %s.a %s && "
                "$c -Wall -Wextra -Werror -pthread -o %s.b %s && %s.a >%s.x && %s.b >%s.y && "
                "cmp %s.x %s.y || exit 1; done",
                m.path, m.path, m.path, path, m.path, m.path, m.path, m.path, m.path, m.path);
            FILE *shell = popen(command, "r");
            if (!shell || pclose(shell) != 0)
                FAIL("not the same, or the lock is kept:\n%s", new.at);
        }
    }
    made_done(&m);
}

TEST(every_way_out_gives_the_lock_back)
{
    expect_same("    shared += x;\n    if (x == 3)\n        return shared;\n"
                "    else if (x == 4)\n        return -1;\n    shared++;\n    return 0;\n",
                "shared += x", "shared++");
    expect_same("    for (int i = 0; i < x; i++) {\n        shared++;\n        if (i == 2)\n"
                "            continue;\n        if (shared > 9)\n            break;\n"
                "        shared++;\n    }\n    return shared;\n",
                "shared++", "shared++;\n    }");
    expect_same("    if (x > 5)\n        goto out;\n    shared += x;\n    if (shared > 4)\n"
                "        goto out;\n    shared--;\nout:\n    return shared;\n",
                "shared += x", "shared--");
    expect_same("    switch (x) {\n    case 1:\n        shared++;\n        /* fall through */\n"
                "    case 2:\n        shared += 2;\n        break;\n    default:\n"
                "        return x;\n    }\n    return shared;\n",
                "shared++", "shared += 2");
    expect_same("    int y = ({\n        int a = shared;\n        a + x;\n    });\n"
                "    int v[y + 9];\n    v[0] = shared++;\n    return v[0] + (int)sizeof v;\n",
                "int y", "v[0] = shared");
    expect_same("    do\n        shared++;\n    while (shared < x);\n    return shared;\n",
                "do\n", "while (shared");
}

/* ---- what a line calls things ------------------------------------------------------------ */

/* The column is that of the first place where `at` stands in the line. */
static const char *said(const char *file, const char *text, const char *at, const char *name,
                        int argument)
{
    static char out[128];
    AUTO(source_lines) struct source_lines lines = {0};
    AUTO(str) struct str said = {0};
    char path[256];
    struct err err;
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/%s", directory ? directory : "/tmp", file);
    if (file_write(path, text, strlen(text), &err) < 0)
        return err.text[0] ? "cannot write" : "";
    struct source_spot spot = {text_of(path), text_of(name), 1,
                               (uint32_t)(strstr(text, at) - text) + 1};
    bool good = argument < 0 ? source_operand(&lines, &said, &spot, true)
                             : source_argument(&lines, &said, &spot, (uint32_t)argument);
    snprintf(out, sizeof out, "%s", good ? said.at : "-");
    remove(path);
    return out;
}

static const char *operand(const char *text, const char *at, const char *name)
{
    return said("operand.c", text, at, name, -1);
}

TEST(an_operand_is_said_as_the_line_says_it)
{
    EXPECT_STR(operand("    p->count++;", "++", "count"), "p->count");
    EXPECT_STR(operand("    int left = --c->refs;", "--", "refs"), "c->refs");
    EXPECT_STR(operand("    while (!p->free)", "free", "free"), "p->free");
    EXPECT_STR(operand("    table[n] = table[k];", "=", "table"), "table[n]");
    EXPECT_STR(operand("    s += table[i];", "table", "table"), "table[i]");
    EXPECT_STR(operand("    if (l->len && l->buf[0] != c)", "l->buf", "*buf"), "l->buf[0]");
    EXPECT_STR(operand("    if (l->len && l->buf[0] != c)", "buf", "buf"), "l->buf");
    EXPECT_STR(operand("    a[i + b[2]].left.size += 2;", "+=", "size"),
               "a[i + b[2]].left.size");
    EXPECT_STR(operand("    *done = 1;", "=", "*done"), "*done");
    EXPECT_STR(operand("    get(x)->value = y->value;", "=", "value"), "get(x)->value");
    EXPECT_STR(operand("    n = value_of(x);", "value_of", "value"), "-");
    EXPECT_STR(operand("    COUNT_UP(p);", "COUNT_UP", "count"), "-");
}

TEST(a_call_says_what_it_is_about)
{
    const char *wait = "    pthread_cond_wait(&q->more, &q->lock);";
    EXPECT_STR(said("call.c", wait, "pthread", "pthread_cond_wait", 0), "q->more");
    EXPECT_STR(said("call.c", wait, "pthread", "pthread_cond_wait", 1), "q->lock");
    EXPECT_STR(said("call.c", "free(r->body);", "free", "free", 0), "r->body");
    EXPECT_STR(said("call.c", "LOCK(&q->lock);", "LOCK", "pthread_mutex_lock", 0), "-");
    EXPECT_STR(said("call.cpp", "std::lock_guard<std::mutex> g(a.m);", "g(", "x", 0), "a.m");
    EXPECT_STR(said("call.cpp", "std::unique_lock l{m, std::defer_lock};", "l{", "x", 0), "m");
    EXPECT_STR(said("call.cpp", "std::scoped_lock l(a, b);", "l(", "x", 0), "-");
    EXPECT_STR(said("call.cpp", "    jobs->m.lock();", "lock", "x", 0), "jobs->m");
}

/* What atomic operations a text has: "does object argument", one after the other. */
static void atomic_uses(struct str *out, const char *text)
{
    static const char *const words[] = {"load", "store", "add", "sub"};
    struct atomic_use use;
    out->len = 0;
    for (uint32_t at = 0; atomic_use_next(text_of(text), at, &use); at = use.end)
        str_add(out, "%s%s %.*s%s%.*s", out->len ? "; " : "", words[use.does],
                TEXT_ARG(use.object), use.argument_count ? " " : "",
                use.argument_count ? (int)use.arguments[0].len : 0,
                use.argument_count ? use.arguments[0].at : "");
}

TEST(atomic_operations_are_known_by_their_names)
{
    AUTO(str) struct str out = {0};
    atomic_uses(&out, "x = atomic_load(&m->peak) + r->ring[f(i, 2)].fetch_sub( a[1], order);");
    EXPECT_STR(out.at, "load &m->peak; sub r->ring[f(i, 2)]. a[1]");
    atomic_uses(&out, "atomic_store_explicit(&r->head, g(head, 1), memory_order_release)");
    EXPECT_STR(out.at, "store &r->head g(head, 1)");
    atomic_uses(&out,
                "if (bucket->tokens_.load() <= 0) reload(); my_atomic_load(&x); s.store()");
    EXPECT_STR(out.at, "load bucket->tokens_.");
    struct atomic_use use;
    EXPECT(atomic_use_whole(TEXT("n.store(1)"), &use));
    EXPECT(!atomic_use_whole(TEXT("n.store(1) + 1"), &use));
    EXPECT(!atomic_use_next(TEXT("atomic_load(&x"), 0, &use));
}
