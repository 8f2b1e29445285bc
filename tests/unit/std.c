/* SPDX-License-Identifier: Apache-2.0
 *
 * STD in and out: what each line becomes, what is refused and with which words, that what
 * came in goes out again byte by byte, and what a recorded trace looks like in STD. */
#include "base/rng.h"
#include "test.h"
#include "trace/trace.h"

#include <string.h>

/* ---- helpers ----------------------------------------------------------------------- */

/* A reader may look behind the end: the bytes need their slack. */
static struct bytes copy_of(const char *text, size_t len)
{
    struct bytes b = {0};
    struct err err;
    CHECK(bytes_new(&b, len, &err) == 0);
    memcpy((void *)(uintptr_t)b.at, text, len);
    return b;
}

static int read_std(const char *text, size_t len, struct trace *out, struct err *err)
{
    AUTO(bytes) struct bytes in = copy_of(text, len);
    struct bytes made;
    uint32_t dropped = 0;
    if (std_read(&in, "x.std", &made, &dropped, err) < 0 ||
        trace_open_bytes(out, &made, "made", err) < 0)
        return -1;
    out->dropped = dropped;
    return 0;
}

static void show_event(struct str *out, const struct ev *e)
{
    str_add(out, "T%u %s", e->thr, ev_text(e->kind));
    for (const char *f = ev_fields(e->kind); *f; f++)
        switch (*f) {
        case 'A':
            str_add(out, " %llx", (unsigned long long)e->addr);
            break;
        case 'F':
            if (e->flags)
                str_add(out, " flags %x", e->flags);
            break;
        case 'N':
            str_add(out, " %llu", (unsigned long long)e->number);
            break;
        case 'T':
            str_add(out, " T%u", e->peer);
            break;
        case 'R':
            str_add(out, " %s", word_text(MARK_FIRST, e->word));
            break;
        case 'K':
            EXPECT(e->ref == NO_EVENT);
            break;
        default:
            break;
        }
    str_add(out, " @%u\n", e->site);
}

/* All events, one per line, with their ids; definitions are in the trace's tables then. */
static void show(struct str *out, struct trace *t)
{
    AUTO(arena) struct arena mem = {0};
    struct trace_cursor *c = ARENA_NEW(&mem, struct trace_cursor, 1);
    struct ev e = {0};
    struct err err = {"?"};
    int item;
    cursor_init(c, t);
    while ((item = trace_next(c, &e, &err)) > ITEM_END)
        if (item == ITEM_EVENT)
            show_event(out, &e);
    if (item < 0)
        str_add(out, "%s", err.text);
}

static int collect(void *arg, struct str *text, struct err *err)
{
    (void)err;
    str_bytes(arg, text->at, text->len);
    text->len = 0;
    return 0;
}

/* A trace of any format as STD, or the message. */
static struct str std_of(const char *text, const struct trace_filter *f, uint64_t *left_out)
{
    struct bytes in = copy_of(text, strlen(text));
    AUTO(trace) struct trace t = {0};
    struct str out = {0};
    struct err err = {"?"};
    str_bytes(&out, "", 0);
    if (trace_open_bytes(&t, &in, "x", &err) < 0 ||
        std_write(&t, f, collect, &out, left_out, &err) < 0)
        str_add(&out, "%s", err.text);
    return out;
}

static const struct trace_filter all = {.to = NO_EVENT};

#define EXPECT_EVENTS(lines, expected)                           \
    do {                                                         \
        AUTO(trace) struct trace t_ = {0};                       \
        AUTO(str) struct str shown_ = {0};                       \
        struct err err_ = {"?"};                                 \
        if (read_std(lines, strlen(lines), &t_, &err_) == 0) {   \
            str_bytes(&shown_, "", 0);                           \
            show(&shown_, &t_);                                  \
        }                                                        \
        EXPECT_STR(shown_.at ? shown_.at : err_.text, expected); \
    } while (0)

#define EXPECT_ERROR(lines, expected)                              \
    do {                                                           \
        AUTO(trace) struct trace t_ = {0};                         \
        struct err err_ = {"?"};                                   \
        EXPECT_EQ(read_std(lines, strlen(lines), &t_, &err_), -1); \
        EXPECT_STR(err_.text, expected);                           \
    } while (0)

#define EXPECT_STD(trace, filter, left, expected)                  \
    do {                                                           \
        uint64_t left_ = 99;                                       \
        AUTO(str) struct str out_ = std_of(trace, filter, &left_); \
        EXPECT_STR(out_.at, expected);                             \
        EXPECT_EQ(left_, left);                                    \
    } while (0)

#define EXPECT_BACK(lines) EXPECT_STD(lines, &all, 0, lines)

/* ---- reading ----------------------------------------------------------------------- */

TEST(each_operation_has_its_event)
{
    EXPECT_EVENTS("T0|r(x)|1\n"
                  "T0|w(x)|2\n"
                  "T0|req(L)|3\n"
                  "T0|acq(L)|3\n"
                  "T0|rel(L)|4\n"
                  "T0|fork(T1)|5\n"
                  "T0|join(T1)|6\n"
                  "T0|br|7\n"
                  "T0|br()|7\n"
                  "T0|wait_pre(c)|8\n"
                  "T0|wait_post(c)|8\n"
                  "T0|wait(c)|8\n"
                  "T0|notify(c)|8\n"
                  "T0|notifyall(c)|8\n"
                  "T0|begin|9\n"
                  "T0|end|9\n"
                  "T0|begin(T0)|9\n"
                  "T0|end(T0)|9\n"
                  "T0|begin(T1)|9\n"
                  "T0|end(x)|9\n",
                  "T0 read 10000 @0\n"
                  "T0 write 10000 @1\n"
                  "T0 request 10010 @2\n"
                  "T0 acquire 10010 1 @2\n"
                  "T0 release 10010 0 @3\n"
                  "T0 create T1 @4\n"
                  "T0 join T1 @5\n"
                  "T0 branch @6\n"
                  "T0 branch @6\n"
                  "T0 wait-enter 10020 @7\n"
                  "T0 wait-leave 10020 @7\n"
                  "T0 wait 10020 @7\n"
                  "T0 signal 10020 @7\n"
                  "T0 broadcast 10020 @7\n"
                  "T0 mark begin 0 @8\n"
                  "T0 mark end 0 @8\n"
                  "T0 mark log-begin 0 @8\n"
                  "T0 mark log-end 0 @8\n"
                  "T0 mark begin 10030 @8\n"
                  "T0 mark end 10000 @8\n");
}

TEST(the_head_says_what_is_known)
{
    AUTO(trace) struct trace plain = {0}, branchy = {0};
    struct err err = {"?"};
    REQUIRE(read_std("T|w(x)|1", 8, &plain, &err) == 0);
    REQUIRE(read_std("T|w(x)|1\nT|br|2", 15, &branchy, &err) == 0);
    EXPECT_EQ(plain.head.flags, TRACE_IMPORTED | TRACE_CLOSED);
    EXPECT_EQ(branchy.head.flags, TRACE_IMPORTED | TRACE_BRANCHES | TRACE_CLOSED);
    EXPECT_EQ(branchy.head.event_count, 2);
}

TEST(accesses_have_eight_bytes_and_no_value)
{
    AUTO(trace) struct trace t = {0};
    AUTO(arena) struct arena mem = {0};
    struct trace_cursor *c = ARENA_NEW(&mem, struct trace_cursor, 1);
    struct err err = {"?"};
    struct ev e = {.value = 7};
    int item;
    REQUIRE(read_std("T0|w(x)|1\n", 10, &t, &err) == 0);
    cursor_init(c, &t);
    while ((item = trace_next(c, &e, &err)) > ITEM_END && item != ITEM_EVENT)
        ;
    EXPECT_EQ(item, ITEM_EVENT);
    EXPECT_EQ(e.size, 8);
    EXPECT_EQ(e.value, 0);
}

TEST(acquires_are_counted_per_thread_and_lock)
{
    EXPECT_EVENTS("T0|acq(L)|1\nT0|acq(L)|1\nT0|acq(M)|1\nT0|rel(L)|1\nT0|acq(L)|1\n"
                  "T0|rel(L)|1\nT0|rel(L)|1\nT0|rel(M)|1\n",
                  "T0 acquire 10000 1 @0\n"
                  "T0 acquire 10000 2 @0\n"
                  "T0 acquire 10010 1 @0\n"
                  "T0 release 10000 1 @0\n"
                  "T0 acquire 10000 2 @0\n"
                  "T0 release 10000 1 @0\n"
                  "T0 release 10000 0 @0\n"
                  "T0 release 10010 0 @0\n");
}

TEST(locks_may_overlap)
{
    EXPECT_EVENTS("A|acq(L)|1\nB|acq(L)|1\nB|acq(L)|1\nA|acq(L)|1\nA|rel(L)|1\nB|rel(L)|1\n"
                  "A|rel(L)|1\nB|rel(L)|1\nB|acq(L)|1\nC|acq(L)|1\nC|rel(L)|1\nB|rel(L)|1\n",
                  "T0 acquire 10000 1 @0\n"
                  "T1 acquire 10000 1 @0\n"
                  "T1 acquire 10000 2 @0\n"
                  "T0 acquire 10000 2 @0\n"
                  "T0 release 10000 1 @0\n"
                  "T1 release 10000 1 @0\n"
                  "T0 release 10000 0 @0\n"
                  "T1 release 10000 0 @0\n"
                  "T1 acquire 10000 1 @0\n"
                  "T2 acquire 10000 1 @0\n"
                  "T2 release 10000 0 @0\n"
                  "T1 release 10000 0 @0\n");
}

TEST(release_of_a_lock_not_held_is_marked_and_counted)
{
    static const char text[] = "T0|rel(L)|1\nT1|acq(L)|2\nT0|rel(L)|1\nT1|rel(L)|2\n";
    EXPECT_EVENTS(text, "T0 release 10000 flags 10 0 @0\n"
                        "T1 acquire 10000 1 @1\n"
                        "T0 release 10000 flags 10 0 @0\n"
                        "T1 release 10000 0 @1\n");
    AUTO(trace) struct trace t = {0};
    struct err err = {"?"};
    REQUIRE(read_std(text, strlen(text), &t, &err) == 0);
    EXPECT_EQ(t.dropped, 2);
    EXPECT_BACK(text);
}

TEST(threads_are_numbered_as_they_appear)
{
    static const char text[] = "main|fork(b)|1\nmain|fork(a)|1\nc|join(d)|1\nb|w(x)|1\n"
                               "c|fork(main)|1\nc|fork(e)|1\n";
    static const struct {
        const char *name;
        uint32_t parent, spawn;
    } want[] = {{"main", NO_ID, 0}, {"b", 0, 0},     {"a", 0, 1},
                {"c", NO_ID, 0},    {"d", NO_ID, 0}, {"e", 3, 1}};
    AUTO(trace) struct trace t = {0};
    AUTO(str) struct str shown = {0};
    struct err err = {"?"};
    REQUIRE(read_std(text, strlen(text), &t, &err) == 0);
    show(&shown, &t);
    REQUIRE(t.threads.len == 6);
    for (uint32_t i = 0; i < 6; i++) {
        const struct def_thread *d = &t.threads.at[i];
        EXPECT_EQ(d->parent, want[i].parent);
        EXPECT_EQ(d->spawn, want[i].spawn);
        EXPECT(text_is((struct text){d->name.at, d->name.len}, text_of(want[i].name)));
    }
    EXPECT_BACK(text);
}

TEST(names_share_one_space_and_take_the_class_of_their_first_use)
{
    static const char text[] = "T|r(a)|1\nT|acq(b)|1\nT|wait(c)|1\nT|req(d)|1\nT|notify(b)|1\n"
                               "T|begin(e)|1\nT|r(b)|1\n";
    static const uint8_t want[] = {WORD_VALUE(CLASS, MEMORY), WORD_VALUE(CLASS, MUTEX),
                                   WORD_VALUE(CLASS, COND), WORD_VALUE(CLASS, MUTEX),
                                   WORD_VALUE(CLASS, MEMORY)};
    AUTO(trace) struct trace t = {0};
    AUTO(str) struct str shown = {0};
    struct err err = {"?"};
    REQUIRE(read_std(text, strlen(text), &t, &err) == 0);
    show(&shown, &t);
    REQUIRE(t.objects.len == 5);
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT_EQ(t.objects.at[i].class, want[i]);
        EXPECT_EQ(t.objects.at[i].addr, 0x10000 + 16 * i);
        EXPECT_EQ(t.objects.at[i].size, 8);
        EXPECT_EQ(t.objects.at[i].name.at[0], "abcde"[i]);
    }
    EXPECT_BACK(text);
}

static void expect_site(const char *loc, const char *file, const char *name, uint32_t line,
                        uint32_t column)
{
    AUTO(trace) struct trace t = {0};
    AUTO(str) struct str text = {0}, shown = {0}, printed = {0};
    struct err err = {"?"};
    str_add(&text, "T|r(x)|%s\n", loc);
    REQUIRE(read_std(text.at, text.len, &t, &err) == 0);
    show(&shown, &t);
    REQUIRE(t.sites.len == 1);
    const struct def_site *s = &t.sites.at[0];
    bool as_wanted = text_is((struct text){s->file.at, s->file.len}, text_of(file)) &&
                     text_is((struct text){s->name.at, s->name.len}, text_of(name)) &&
                     s->line == line && s->column == column;
    if (!as_wanted)
        FAIL("%s: file '%.*s' name '%.*s' line %u column %u", loc, (int)s->file.len, s->file.at,
             (int)s->name.len, s->name.at, s->line, s->column);
    site_name(&printed, s);
    EXPECT_STR(printed.at, loc);
}

TEST(locations_have_three_forms)
{
    expect_site("0", "", "", 0, 0);
    expect_site("12", "", "", 12, 0);
    expect_site("4294967294", "", "", 4294967294, 0);
    expect_site("4294967295", "", "4294967295", 0, 0);
    expect_site("99999999999", "", "99999999999", 0, 0);
    expect_site("012", "", "012", 0, 0);
    expect_site("-1", "", "-1", 0, 0);
    expect_site("sync", "", "sync", 0, 0);
    expect_site("bank.c:14", "bank.c", "", 14, 0);
    expect_site("bank.c:14:5", "bank.c", "", 14, 5);
    expect_site("C:\\x.c:14", "C:\\x.c", "", 14, 0);
    expect_site("a:b:7", "a:b", "", 7, 0);
    expect_site("a:01:7", "a:01", "", 7, 0);
    expect_site("1:2:3:4", "1:2", "", 3, 4);
    expect_site("1:2", "1", "", 2, 0);
    expect_site(":2:3", ":2", "", 3, 0);
    expect_site(":2", "", ":2", 0, 0);
    expect_site("a:0", "", "a:0", 0, 0);
    expect_site("a:5:0", "", "a:5:0", 0, 0);
    expect_site("a:", "", "a:", 0, 0);
    expect_site("a b (c)", "", "a b (c)", 0, 0);
}

TEST(line_ends_are_forgiving)
{
    static const char want[] = "T0 read 10000 @0\nT0 read 10000 @0\nT0 write 10000 @1\n";
    EXPECT_EVENTS("T0|r(x)|1\nT0|r(x)|1\nT0|w(x)|f.java:2\n", want);
    EXPECT_EVENTS("T0|r(x)|1\nT0|r(x)|1\nT0|w(x)|f.java:2", want);
    EXPECT_EVENTS("T0|r(x)|1\r\nT0|r(x)|1\r\nT0|w(x)|f.java:2\r\n", want);
    EXPECT_EVENTS("T0|r(x)|1\nT0|r(x)|1\r\nT0|w(x)|f.java:2\r", want);
    EXPECT_EVENTS("T0|r(x)|1\nT0|r(x)|1\nT0|w(x)|f.java:2\n\n\r\n\r\n\n", want);
    EXPECT_EVENTS("\n\n", "");
    EXPECT_EVENTS("", "");
}

TEST(names_of_any_length_and_alphabet_are_told_apart)
{
    EXPECT_EVENTS(
        "T|r(1234567)|1\nT|r(12345678)|1\nT|r(123456789)|1\nT|r(12345678901234567)|1\n"
        "T|r(12345678901234568)|1\nT|r(1234567)|1\nT|r(12345678901234567)|1\n"
        "T|r(f())|1\nT|r(f()|1\nT|r(()|1\nT|r(f())|1\nT|r(\xc3\xa9)|1\nT|r(\xc3)|1\n"
        "T|r(\xc3\xa9)|1\nT|r(a b)|1\nT|r(abcdef\xff)|1\nT|r(abcdef\xff)|1\n",
        "T0 read 10000 @0\nT0 read 10010 @0\nT0 read 10020 @0\nT0 read 10030 @0\n"
        "T0 read 10040 @0\nT0 read 10000 @0\nT0 read 10030 @0\n"
        "T0 read 10050 @0\nT0 read 10060 @0\nT0 read 10070 @0\nT0 read 10050 @0\n"
        "T0 read 10080 @0\nT0 read 10090 @0\n"
        "T0 read 10080 @0\nT0 read 100a0 @0\nT0 read 100b0 @0\nT0 read 100b0 @0\n");
    EXPECT_EVENTS("1234567|r(x)|1234567\n12345678|r(x)|12345678\n12345678|w(x)|1234567\n"
                  "1234567|w(x)|12345678\n",
                  "T0 read 10000 @0\nT1 read 10000 @1\nT1 write 10000 @0\nT0 write 10000 @1\n");
}

/* ---- faults ------------------------------------------------------------------------ */

TEST(faults_are_named_with_their_line)
{
    EXPECT_ERROR("T0|r(x)|1\n\nT0|r(x)|1\n",
                 "x.std:2: empty line; remove it: every line is an event");
    EXPECT_ERROR("\nT0|r(x)|1\n", "x.std:1: empty line; remove it: every line is an event");
    EXPECT_ERROR("T0|r(x)|1\nhello\n",
                 "x.std:2: not an event: \"hello\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|r(x)", "x.std:1: not an event: \"T0|r(x)\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|r(x)|",
                 "x.std:1: not an event: \"T0|r(x)|\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("|r(x)|1", "x.std:1: not an event: \"|r(x)|1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|r(x|1",
                 "x.std:1: not an event: \"T0|r(x|1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0||1", "x.std:1: not an event: \"T0||1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|(x)|1",
                 "x.std:1: not an event: \"T0|(x)|1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|r(|1", "x.std:1: not an event: \"T0|r(|1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|r(x)|1|2",
                 "x.std:1: not an event: \"T0|r(x)|1|2\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|r|1", "x.std:1: no argument in \"T0|r|1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|acq()|1",
                 "x.std:1: no argument in \"T0|acq()|1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|begin()|1",
                 "x.std:1: no argument in \"T0|begin()|1\"; expected THREAD|OP(ARG)|LOC");
    EXPECT_ERROR("T0|r(x)|1\nT0|lock(x)|1\n",
                 "x.std:2: unknown operation \"lock\"; known are r w acq rel req br fork join "
                 "wait_pre wait_post wait notify notifyall begin end");
    EXPECT_ERROR("T0|r(\t)|1",
                 "x.std:1: control character in \"?\"; names are of printable characters");
    EXPECT_ERROR("T0|r(x)|1\r\r\n",
                 "x.std:1: control character in \"1?\"; names are of printable characters");
}

TEST(a_zero_byte_is_not_the_end)
{
    static const char text[] = "T0|r(x)|1\nT0|r(x\0)|1\n";
    AUTO(trace) struct trace t = {0};
    struct err err = {"?"};
    EXPECT_EQ(read_std(text, sizeof text - 1, &t, &err), -1);
    EXPECT_STR(err.text,
               "x.std:2: control character in \"x?\"; names are of printable characters");
}

TEST(what_was_met_is_cut)
{
    EXPECT_ERROR("a123456789b123456789c123456789d123456789e123456789f123456789g",
                 "x.std:1: not an event: "
                 "\"a123456789b123456789c123456789d123456789e123456789f123456789...\"; "
                 "expected THREAD|OP(ARG)|LOC");
}

TEST(limits_are_named)
{
    AUTO(str) struct str text = {0};
    for (int i = 0; i < 1000; i++)
        str_char(&text, 'a');
    str_add(&text, "|r(x)|1\n");
    EXPECT_BACK(text.at);
    str_done(&text);

    str_add(&text, "T0|r(x)|1\nT0|r(");
    for (int i = 0; i < 1001; i++)
        str_char(&text, 'a');
    str_add(&text, ")|1\n");
    EXPECT_ERROR(text.at,
                 "x.std:2: longer than 1000 bytes: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaa...\"; shorten this name");
    for (int i = 0; i < 4096; i++)
        text.at[10 + i % 1000] = 'b';
    text.at[text.len - 1] = 'c';
    for (int i = 0; i < 4096; i++)
        str_char(&text, 'd');
    EXPECT_ERROR(text.at,
                 "x.std:2: line longer than 4096 bytes: \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
                 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...\"; expected THREAD|OP(ARG)|LOC");
}

TEST(there_is_room_for_65535_threads)
{
    AUTO(str) struct str text = {0};
    AUTO(trace) struct trace t = {0};
    struct err err = {"?"};
    for (unsigned i = 0; i < THREADS_MAX; i++)
        str_add(&text, "T%u|r(x)|1\n", i);
    EXPECT_EQ(read_std(text.at, text.len, &t, &err), 0);
    str_add(&text, "T65534|fork(T65535)|1\n");
    EXPECT_ERROR(text.at, "x.std:65536: more than 65535 threads: \"T65535\"; cut the trace "
                          "before this line");
}

TEST(std_is_recognised_by_its_first_line)
{
    static const struct {
        const char *text;
        bool is;
    } cases[] = {{"T0|r(x)|1\n", true},
                 {"\n\r\nT0|br|1", true},
                 {"T0|whatever(x)|1\r\nrest", true},
                 {"T0|R(x)|1", false},
                 {"T0 read x 1", false},
                 {"a|b|c|d", false},
                 {"|r(x)|1", false},
                 {"", false},
                 {"\n\n", false},
                 {"# comment\nT0|r(x)|1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(bytes) struct bytes b = copy_of(cases[i].text, strlen(cases[i].text));
        if (std_is(&b) != cases[i].is)
            FAIL("case %zu: '%s'", i, cases[i].text);
    }
    AUTO(str) struct str text = {0};
    str_add(&text, "T0|r(");
    for (int i = 0; i < 5000; i++)
        str_char(&text, 'a');
    str_add(&text, ")|1\n");
    AUTO(bytes) struct bytes b = copy_of(text.at, text.len);
    EXPECT(!std_is(&b));
}

/* ---- there and back ---------------------------------------------------------------- */

TEST(what_came_in_goes_out)
{
    EXPECT_BACK("T0|begin(T0)|0\nT0|fork(T1)|Main.java:3:1\nT0|acq(L1)|sync\nT0|acq(L1)|sync\n"
                "T0|w(V1)|12\nT0|rel(L1)|sync\nT0|rel(L1)|sync\nT1|req(L1)|4\nT1|acq(L1)|5\n"
                "T1|r(V1)|012\nT1|br|7\nT1|wait_pre(C)|8\nT1|rel(L1)|8\nT0|acq(L1)|8\n"
                "T0|notify(C)|8\nT0|notifyall(L1)|8\nT0|rel(L1)|8\nT1|acq(L1)|8\n"
                "T1|wait_post(C)|8\nT1|wait(C)|9\nT1|begin|1\nT1|begin(block 1)|1\nT1|end|1\n"
                "T1|end(block 1)|a:0\nT0|join(T1)|f:1\nT0|end(T0)|0\n");
    EXPECT_STD("T0|br(x)|1\r\nT0|br()|2", &all, 0, "T0|br|1\nT0|br|2\n");
}

static void random_name(struct rng *r, struct str *out, const char *letters)
{
    uint32_t len = 1 + rng_below(r, rng_below(r, 4) ? 3 : 20);
    uint32_t count = (uint32_t)strlen(letters);
    for (uint32_t i = 0; i < len; i++)
        str_char(out, letters[rng_below(r, count)]);
}

static void random_line(struct rng *r, struct str *out)
{
    static const char *const ops[] = {"r",         "w",    "acq",    "rel",       "req",
                                      "fork",      "join", "notify", "notifyall", "wait_pre",
                                      "wait_post", "wait", "begin",  "end"};
    random_name(r, out, "T12");
    uint32_t pick = rng_below(r, 24);
    str_add(out, "|%s", pick < 14 ? ops[pick] : pick == 14 ? "br" : ops[pick % 5]);
    if (pick != 14 && !(pick > 11 && pick < 14 && rng_below(r, 2))) {
        str_char(out, '(');
        random_name(r, out, pick == 5 || pick == 6 ? "T12" : "xV()\xe9\xff");
        str_char(out, ')');
    }
    str_char(out, '|');
    random_name(r, out, "012:a)");
}

TEST(random_lines_come_back)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct rng r = {seed};
        AUTO(str) struct str text = {0}, want = {0};
        uint64_t left = 99;
        for (int i = 0; i < 300; i++) {
            size_t start = text.len;
            random_line(&r, &text);
            str_bytes(&want, text.at + start, text.len - start);
            str_char(&want, '\n');
            str_add(&text, seed % 2 ? "\r\n" : "\n");
        }
        AUTO(str) struct str back = std_of(text.at, &all, &left);
        if (strcmp(back.at, want.at) != 0 || left != 0) {
            FAIL("seed %llu: %.300s", (unsigned long long)seed, back.at);
            return;
        }
    }
}

TEST(many_names_and_blocks_come_back)
{
    AUTO(str) struct str text = {0};
    uint64_t left = 99;
    struct rng r = {1};
    for (uint32_t i = 0; i < 300000; i++)
        str_add(&text, "T%u|%c(V%u)|Some/File.java:%u\n", rng_below(&r, 99), i % 3 ? 'r' : 'w',
                rng_below(&r, 100000), 1 + rng_below(&r, 20000));
    AUTO(str) struct str back = std_of(text.at, &all, &left);
    EXPECT(back.len == text.len && memcmp(back.at, text.at, text.len) == 0);
}

/* ---- filters and sinks ------------------------------------------------------------- */

TEST(filters_choose_events)
{
    static const char text[] = "T0|w(x)|1\nT1|w(x)|2\nT0|acq(L)|3\nT0|w(y)|4\nT0|br|5\n"
                               "T0|fork(T2)|6\n";
    uint32_t one[] = {1};
    struct text names[] = {TEXT("y"), TEXT("L"), TEXT("nobody")};
    struct trace_filter numbers = {.from = 1, .to = 3}, threads = all, locations = all;
    threads.threads.at = one;
    threads.threads.len = 1;
    locations.names.at = names;
    locations.names.len = 3;
    EXPECT_STD(text, &numbers, 0, "T1|w(x)|2\nT0|acq(L)|3\n");
    EXPECT_STD(text, &threads, 0, "T1|w(x)|2\n");
    EXPECT_STD(text, &locations, 0, "T0|acq(L)|3\nT0|w(y)|4\n");
    locations.from = 3;
    EXPECT_STD(text, &locations, 0, "T0|w(y)|4\n");
}

TEST(an_object_or_a_place_in_it_can_be_chosen)
{
    static const char text[] =
        "T0 alloc p:16\nT0 write p+8:4 1\nT0 write p:8 1\nT0 write q:8 1\n"
        "T0 fence\nT0 arrive q 0";
    struct text whole = TEXT("heap#0"), place = TEXT("heap#0+8"), other = TEXT("q");
    struct trace_filter f = all;
    f.names.len = 1;
    f.names.at = &whole;
    EXPECT_STD(text, &f, 0, "T0|w(V0)|2\nT0|w(V1)|3\n");
    f.names.at = &place;
    EXPECT_STD(text, &f, 0, "T0|w(V0)|2\n");
    f.names.at = &other;
    EXPECT_STD(text, &f, 1, "T0|w(V0)|4\n");
}

static int refuse(void *arg, struct str *text, struct err *err)
{
    int *calls = arg;
    ++*calls;
    text->len = 0;
    return err_set(err, "disk full");
}

TEST(the_sink_is_used_in_between_and_may_fail)
{
    AUTO(str) struct str text = {0};
    for (int i = 0; i < 20000; i++)
        str_add(&text, "T0|r(x)|1\n");
    struct bytes in = copy_of(text.at, text.len);
    AUTO(trace) struct trace t = {0};
    struct err err = {"?"};
    int calls = 0;
    uint64_t left = 99;
    REQUIRE(trace_open_bytes(&t, &in, "x", &err) == 0);
    EXPECT_EQ(std_write(&t, &all, refuse, &calls, &left, &err), -1);
    EXPECT_STR(err.text, "disk full");
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(left, 99);
}

TEST(a_name_that_would_not_come_back_is_refused)
{
    EXPECT_STD("heddle trace 1 imported\nobject \"a|b\" memory 0x10000:8\n"
               "T0 write \"a|b\" 1\n",
               &all, 99,
               "a name that STD cannot hold (empty, or with | or control characters), before "
               "event 0; use --format text");
}

TEST(names_that_would_become_one_are_refused)
{
    static const char two_x[] = "heddle trace 1 imported\nobject x memory 0x10000:8\n"
                                "object - memory 0x10010:8 \"x\"\n"
                                "object \"%s\" memory 0x10020:8\n"
                                "A write x @:1\nA write 0x10010:8 @:1\nB write \"%s\" @:1\n";
    AUTO(str) struct str text = {0};
    str_add(&text, two_x, "x~2", "x~2");
    EXPECT_STD(text.at, &all, 99,
               "two things would be called 'x~2', which STD cannot tell apart, before event 3; "
               "use --format text");
    text.len = 0;
    str_add(&text, two_x, "x~3", "x~3");
    EXPECT_STD(text.at, &all, 0, "A|w(x)|1\nA|w(x~2)|1\nB|w(x~3)|1\n");
    EXPECT_STD("heddle trace 1 imported\nobject x memory 0x10000:8\n"
               "object \"x+4\" memory 0x10010:8\nA write \"x+4\" @:1\nA write x+4:4 @:1\n",
               &all, 99,
               "two things would be called 'x+4', which STD cannot tell apart, before event 2; "
               "use --format text");
    EXPECT_STD("heddle trace 1 imported\nthread A\nthread T1 \"A\"\nA write x @:1\n", &all, 99,
               "two threads would be called 'A', which STD cannot tell apart, before event 0; "
               "use --format text");
}

/* ---- recorded traces --------------------------------------------------------------- */

TEST(a_recorded_trace_is_renamed)
{
    EXPECT_STD("T0 create T1 @m.c:1\nT0 request L @m.c:2\nT0 acquire L @m.c:2\n"
               "T0 write x 1 @m.c:3\nT0 release L @m.c:4\nT1 start\nT1 branch\nT1 acquire M\n"
               "T1 read y 0\nT1 read x 1\nT1 release M\nT1 exit\nT0 join T1\n"
               "T0 mark begin\nT0 mark end",
               &all, 0,
               "T0|fork(T1)|1\nT0|req(L0)|2\nT0|acq(L0)|2\nT0|w(V0)|3\nT0|rel(L0)|4\n"
               "T1|br|6\nT1|acq(L1)|7\nT1|r(V1)|8\nT1|r(V0)|9\nT1|rel(L1)|10\n"
               "T0|join(T1)|12\nT0|begin|13\nT0|end|14\n");
}

TEST(accesses_of_mixed_sizes_are_cut_into_cells)
{
    EXPECT_STD("object s memory 0x1000:16\n"
               "T0 write s:8 1\nT1 read s+4:4 0\nT1 write s+6:1 1\nT0 read-range s:16 0\n"
               "T0 write s+12:4 1\nT1 read s:4 1",
               &all, 0,
               "T0|w(V0)|1\nT0|w(V1)|1\nT0|w(V2)|1\nT0|w(V3)|1\n"
               "T1|r(V1)|2\nT1|r(V2)|2\nT1|r(V3)|2\n"
               "T1|w(V2)|3\n"
               "T0|r(V0)|4\nT0|r(V1)|4\nT0|r(V2)|4\nT0|r(V3)|4\nT0|r(V4)|4\nT0|r(V5)|4\n"
               "T0|w(V5)|5\n"
               "T1|r(V0)|6\n");
}

TEST(an_access_across_objects_is_cut_at_their_edge)
{
    EXPECT_STD("object a memory 0x1000:8\nobject b memory 0x1008:8\n"
               "T0 write-range a:16 0\nT1 read a:8 0\nT1 read b:8 0\nT1 read 0xffc:8 0",
               &all, 0,
               "T0|w(V0)|1\nT0|w(V1)|1\nT0|w(V2)|1\nT1|r(V0)|2\nT1|r(V1)|2\nT1|r(V2)|3\n"
               "T1|r(V3)|4\nT1|r(V0)|4\n");
}

TEST(a_block_has_new_variables_in_every_life)
{
    EXPECT_STD("T0 alloc p=0x5000:16\nT0 write p:8 1\nT1 read p+4:4 0\nT0 free p\n"
               "T0 alloc q=0x5000:16\nT0 write q:8 1\nT0 free q\n"
               "T0 stack-enter b:8\nT1 write b:4 1\nT0 stack-leave b",
               &all, 0,
               "T0|w(V0)|2\nT0|w(V1)|2\nT1|r(V1)|3\nT0|w(V0)|4\nT0|w(V1)|4\n"
               "T0|w(V2)|6\nT0|w(V2)|7\n"
               "T1|w(V3)|9\n");
}

TEST(atomics_are_reads_and_writes)
{
    EXPECT_STD("T0 load x\nT0 store x 2 release\nT0 rmw x 2 -> 3\nT1 cas x 3 -> 4\n"
               "T1 cas x 3 -> 5 failed",
               &all, 0,
               "T0|r(V0)|1\nT0|w(V0)|2\nT0|r(V0)|3\nT0|w(V0)|3\nT1|r(V0)|4\nT1|w(V0)|4\n"
               "T1|r(V0)|5\n");
}

TEST(waits_are_four_lines)
{
    EXPECT_STD(
        "T0 acquire L\nT0 wait-enter c\nT0 release L waiting\nT1 acquire L\nT1 signal c\n"
        "T1 broadcast d\nT1 release L\nT0 acquire L waiting\nT0 wait-leave c by #4\n"
        "T0 release L",
        &all, 0,
        "T0|acq(L0)|1\nT0|wait_pre(C0)|2\nT0|rel(L0)|3\nT1|acq(L0)|4\nT1|notify(C0)|5\n"
        "T1|notifyall(C1)|6\nT1|rel(L0)|7\nT0|acq(L0)|8\nT0|wait_post(C0)|9\n"
        "T0|rel(L0)|10\n");
}

TEST(inner_acquires_are_folded)
{
    EXPECT_STD("T0 acquire L\nT0 acquire L depth 2\nT0 release L depth 1\nT0 release L", &all,
               0, "T0|acq(L0)|1\nT0|rel(L0)|4\n");
}

TEST(what_std_cannot_say_is_counted)
{
    EXPECT_STD("T0 acquire R shared\nT0 release R shared\nT0 sem-post s 1\nT0 sem-wait s 0\n"
               "T0 arrive b 0\nT0 depart b 0\nT0 once-enter o\nT0 once-leave o\nT0 fence\n"
               "T0 futex-wake f 1\nT0 channel-write h at 0 len 4\nT0 refused L try error 16\n"
               "T0 request s\nT0 request L try\nT0 release L failed\nT0 external-write x:4 0\n"
               "T0 mark benign x:4\nT0 detach T1\nT0 write x 1",
               &all, 18, "T0|w(V0)|19\n");
}
