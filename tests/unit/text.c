/* SPDX-License-Identifier: Apache-2.0
 *
 * The text notation: what is dumped parses back to the same bytes, and what people write by
 * hand means what docs/notation.md says. */
#include "base/rng.h"
#include "test.h"
#include "trace/trace.h"

#include <string.h>

/* ---- helpers ----------------------------------------------------------------------------- */

static struct bytes borrow(const char *text, size_t len)
{
    return (struct bytes){.at = (const uint8_t *)text, .len = len};
}

static int collect(void *arg, struct str *text, struct err *err)
{
    (void)err;
    str_bytes(arg, text->at, text->len);
    text->len = 0;
    return 0;
}

/* Takes the bytes; the text, or the message if there is one. */
static struct str dump_filtered(struct bytes *take, const struct trace_filter *f)
{
    struct str out = {0};
    struct err err = {"?"};
    AUTO(trace) struct trace t = {0};
    if (trace_open_bytes(&t, take, "binary", &err) < 0 ||
        text_write(&t, f, collect, &out, &err) < 0)
        str_add(&out, "%s", err.text);
    return out;
}

static struct str dump(struct bytes *take)
{
    return dump_filtered(take, &(struct trace_filter){.to = NO_EVENT});
}

/* The dump of a trace written by hand, or the message. */
static struct str dump_of_filtered(const char *text, const struct trace_filter *f)
{
    struct bytes in = borrow(text, strlen(text)), made;
    struct err err = {"?"};
    struct str out = {0};
    if (text_read(&in, "t", &made, &err) == 0)
        return dump_filtered(&made, f);
    str_add(&out, "%s", err.text);
    return out;
}

static struct str dump_of(const char *text)
{
    return dump_of_filtered(text, &(struct trace_filter){.to = NO_EVENT});
}

#define EXPECT_DUMP(text, expected)                 \
    do {                                            \
        AUTO(str) struct str dump_ = dump_of(text); \
        EXPECT_STR(dump_.at, expected);             \
    } while (0)

static bool same_bytes(const struct bytes *a, const struct bytes *b)
{
    return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

/* Dumps a copy of the trace and parses that: the same bytes again? */
static bool comes_back(const struct bytes *trace)
{
    AUTO(bytes) struct bytes again = {0};
    struct bytes copy;
    struct err err = {"?"};
    if (bytes_new(&copy, trace->len, &err) < 0)
        return false;
    memcpy((void *)(uintptr_t)copy.at, trace->at, trace->len);
    AUTO(str) struct str text = dump(&copy);
    struct bytes in = borrow(text.at, text.len);
    if (text_is_trace(&in) && text_read(&in, "dump", &again, &err) == 0 &&
        same_bytes(trace, &again))
        return true;
    FAIL("%s, of %zu and %zu bytes:\n%.4000s", err.text, trace->len, again.len, text.at);
    return false;
}

static bool text_comes_back(const char *text)
{
    AUTO(bytes) struct bytes made = {0};
    struct bytes in = borrow(text, strlen(text));
    struct err err = {"?"};
    if (text_read(&in, "t", &made, &err) == 0)
        return comes_back(&made);
    FAIL("%s", err.text);
    return false;
}

/* ---- random traces ----------------------------------------------------------------------- */

struct gen {
    struct rng rng;
    struct trace_writer *w;
    uint32_t threads, sites;
    VEC(uint64_t) addrs; /* worth using again */
    char texts[16][TEXT_MAX_BYTES];
};

static uint64_t any_number(struct gen *g)
{
    uint64_t v = rng_next(&g->rng);
    switch (rng_below(&g->rng, 4)) {
    case 0:
        return v & 7;
    case 1:
        return v >> (v & 63);
    case 2:
        return v & 0xffff;
    default:
        return -(v & 7);
    }
}

static struct def_text any_text(struct gen *g)
{
    static const char *const names[] = {
        "",       "x",         "counter", "counter~2", "heap#0", "heap#1", "stack#0",
        "T0",     "T1",        "T1~2",    "thread",    "cut",    "-",      "->",
        "a b",    "ns::x",     "a:b",     "0x10",      "7up",    "x+8",    "#1",
        "@3",     "\"\\\n\t",  "a;b",     "\xc3\xa9",  "main.c", "x:::",   "::",
        "f(int)", "op<a, b>=", "~",       "by",        "heap#x",
    };
    enum { COUNT = sizeof names / sizeof names[0] };
    uint32_t pick = rng_below(&g->rng, COUNT + 4);
    if (pick < COUNT)
        return (struct def_text){names[pick], (uint32_t)strlen(names[pick])};
    uint32_t len = rng_below(&g->rng, pick == COUNT ? TEXT_MAX_BYTES + 1 : 5);
    char *made = g->texts[rng_below(&g->rng, 16)]; /* the same place again: texts change */
    for (uint32_t i = 0; i < len; i++)
        made[i] = (char)rng_next(&g->rng);
    return (struct def_text){made, len};
}

static uint64_t any_addr(struct gen *g)
{
    uint32_t pick = rng_below(&g->rng, g->addrs.len + 2);
    if (pick < g->addrs.len)
        return g->addrs.at[pick] + (rng_below(&g->rng, 2) ? rng_below(&g->rng, 16) : 0);
    uint64_t addr = pick == g->addrs.len ? 0x5000 + 8 * rng_below(&g->rng, 64) : any_number(g);
    vec_push(&g->addrs, addr);
    return addr;
}

/* A length that keeps the range inside memory. */
static uint64_t any_length(struct gen *g, uint64_t addr)
{
    uint64_t len = rng_below(&g->rng, 3) ? rng_below(&g->rng, 20) : any_number(g);
    return len > UINT64_MAX - addr ? UINT64_MAX - addr : len;
}

static void define_thread(struct gen *g)
{
    bool has_parent = g->threads > 0 && rng_below(&g->rng, 3) > 0;
    trace_put_thread_def(
        g->w,
        &(struct def_thread){.parent = has_parent ? rng_below(&g->rng, g->threads) : NO_ID,
                             .spawn = (uint32_t)any_number(g),
                             .name = any_text(g)});
    g->threads++;
}

static void define_site(struct gen *g)
{
    /* the writer compares with the texts of the site before: those must not change */
    static const char *const files[] = {"", "bank.c", "a b.c", "x:1", ":2", "-", "3.c", "::4"};
    const char *file = files[rng_below(&g->rng, 8)], *function = files[rng_below(&g->rng, 8)];
    uint32_t depends[DEPENDS_MAX];
    uint32_t some = rng_below(&g->rng, 20) ? 4 : DEPENDS_MAX + 1;
    struct def_site s = {.file = {file, (uint32_t)strlen(file)},
                         .function = {function, (uint32_t)strlen(function)},
                         .name = any_text(g),
                         .line = (uint32_t)any_number(g),
                         .column = (uint32_t)any_number(g),
                         .statement = (uint32_t)any_number(g),
                         .unit = (uint32_t)any_number(g),
                         .ordinal = (uint32_t)any_number(g),
                         .depends_count = rng_below(&g->rng, some)};
    for (uint32_t i = 0; i < s.depends_count; i++)
        depends[i] = (uint32_t)any_number(g);
    trace_put_site(g->w, &s, depends);
    g->sites++;
}

static void define_object(struct gen *g)
{
    uint64_t addr = any_addr(g);
    trace_put_object(g->w,
                     &(struct def_object){.class = (uint8_t)rng_below(&g->rng, CLASS_COUNT),
                                          .addr = addr,
                                          .size = any_length(g, addr),
                                          .name = any_text(g)});
}

static bool has_field(unsigned kind, char field)
{
    return strchr(ev_fields(kind), field) != NULL;
}

static uint8_t any_word(struct gen *g, unsigned kind)
{
    uint32_t count = has_field(kind, 'B')   ? BRANCH_COUNT
                     : has_field(kind, 'C') ? CLASS_COUNT
                                            : MARK_COUNT;
    return (uint8_t)rng_below(&g->rng, count);
}

/* Only the fields that the kind has: nothing else comes back. */
static void put_event(struct gen *g, unsigned kind)
{
    struct def_text t = any_text(g);
    struct ev e = {.kind = (uint8_t)kind,
                   .thr = rng_below(&g->rng, g->threads),
                   .site = rng_below(&g->rng, g->sites),
                   .ref = NO_EVENT};
    if (has_field(kind, 'A'))
        e.addr = any_addr(g);
    if (has_field(kind, 'V'))
        e.value = any_number(g);
    if (has_field(kind, 'W'))
        e.value2 = any_number(g);
    if (has_field(kind, 'M'))
        e.order = (uint8_t)rng_below(&g->rng, ORDER_COUNT);
    if (has_field(kind, 'F'))
        e.flags = (uint8_t)rng_below(&g->rng, 1u << FLAG_COUNT);
    if (has_field(kind, 'N'))
        e.number = any_number(g);
    if (has_field(kind, 'T'))
        e.peer = rng_below(&g->rng, g->threads);
    if (has_field(kind, 'K') && g->w->event_count > 0 && rng_below(&g->rng, 2))
        e.ref = rng_below(&g->rng, (uint32_t)g->w->event_count);
    if (has_field(kind, 'S'))
        e.text = t.at, e.text_len = t.len;
    if (has_field(kind, 'L'))
        e.len = any_length(g, e.addr);
    if (has_field(kind, 'Z')) {
        e.size = (uint8_t)(rng_below(&g->rng, 4) ? 1u << rng_below(&g->rng, 4)
                                                 : 1 + rng_below(&g->rng, 255));
        e.addr = e.size > UINT64_MAX - e.addr ? 0 : e.addr;
    }
    e.word = any_word(g, kind);
    trace_put_event(g->w, &e);
}

static struct bytes make_trace(struct gen *g, uint32_t flags, uint32_t events)
{
    AUTO(trace_out) struct trace_out *out = trace_out_new(flags);
    struct bytes made = {0};
    struct err err;
    g->w = trace_out_writer(out);
    define_thread(g);
    define_site(g);
    while (events > 0) {
        switch (rng_below(&g->rng, 16)) {
        case 0:
            define_thread(g);
            break;
        case 1:
            define_site(g);
            break;
        case 2:
            define_object(g);
            break;
        default:
            put_event(g, 1 + rng_below(&g->rng, EV_COUNT - 1));
            events--;
        }
    }
    trace_out_bytes(out, 0, &made, &err);
    vec_done(&g->addrs);
    return made;
}

TEST(random_traces_come_back)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct gen g = {.rng = {seed}};
        AUTO(bytes) struct bytes trace = make_trace(&g, (uint32_t)(seed % 32), 60);
        if (!comes_back(&trace)) {
            FAIL("seed %llu", (unsigned long long)seed);
            return;
        }
    }
}

TEST(traces_of_many_blocks_come_back)
{
    struct gen g = {.rng = {42}};
    AUTO(bytes) struct bytes trace = make_trace(&g, TRACE_VALUES, 120000);
    EXPECT(trace.len > 2 * BLOCK_BYTES);
    EXPECT(comes_back(&trace));
}

TEST(every_kind_comes_back)
{
    for (unsigned kind = 1; kind < EV_COUNT; kind++) {
        struct gen g = {.rng = {kind}};
        AUTO(trace_out) struct trace_out *out = trace_out_new(TRACE_VALUES);
        struct bytes made;
        struct err err;
        g.w = trace_out_writer(out);
        define_thread(&g);
        define_site(&g);
        define_object(&g);
        for (unsigned i = 0; i < 200; i++)
            put_event(&g, kind);
        REQUIRE(trace_out_bytes(out, 0, &made, &err) == 0);
        if (!comes_back(&made))
            FAIL("kind %s", ev_text(kind));
        bytes_done(&made);
        vec_done(&g.addrs);
    }
}

/* ---- written by hand --------------------------------------------------------------------- */

TEST(names_threads_and_sites_are_defined_by_use)
{
    EXPECT_DUMP("T0 acquire L; T0 write x 1; T0 release L;\n"
                "T1 acquire L; T1 read x 1; T1 release L",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "object L mutex 0x10000:8\n"
                "site 0 :1\n"
                "T0 acquire L @0  # :1\n"
                "object x memory 0x10010:8\n"
                "T0 write x 1 @0  # :1\n"
                "T0 release L @0  # :1\n"
                "thread T1\n"
                "site 1 :2\n"
                "T1 acquire L @1  # :2\n"
                "T1 read x 1 @1  # :2\n"
                "T1 release L @1  # :2\n");
}

TEST(create_makes_a_child)
{
    EXPECT_DUMP("heddle trace 1\n"
                "T0 create T1; T0 create T3; T3 start",
                "heddle trace 1\n"
                "thread T0\n"
                "thread T1 parent T0 spawn 0\n"
                "site 0 :2\n"
                "T0 create T1 @0  # :2\n"
                "thread T2\n"
                "thread T3 parent T0 spawn 1\n"
                "T0 create T3 @0  # :2\n"
                "T3 start @0  # :2\n");
}

TEST(blocks_are_called_what_their_allocation_says)
{
    EXPECT_DUMP("T0 alloc p:16; T0 write p+8:4 1; T0 free p; T0 read p 0\n"
                "T0 alloc p=0x5000:4 @m.c:7; T0 write p 1 @m.c:8:3; T0 free p @m.c:7\n"
                "T0 stack-enter buf:100; T0 write-range buf+4 7; T0 stack-leave buf",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "site 0 :1\n"
                "T0 alloc heap#0=0x10000:16 @0  # :1\n"
                "T0 write heap#0+8:4 1 @0  # :1\n"
                "T0 free heap#0 @0  # :1\n"
                "T0 read heap#0:8 0 @0  # :1\n"
                "site 1 m.c:7\n"
                "T0 alloc heap#1=0x5000:4 @1  # m.c:7\n"
                "site 2 m.c:8:3\n"
                "T0 write heap#1 1 @2  # m.c:8:3\n"
                "T0 free heap#1 @1  # m.c:7\n"
                "site 3 :3\n"
                "T0 stack-enter stack#0=0x10010:100 @3  # :3\n"
                "T0 write-range stack#0+4:96 7 @3  # :3\n"
                "T0 stack-leave stack#0 @3  # :3\n");
}

TEST(omitted_parts_have_defaults)
{
    EXPECT_DUMP("T0 load x; T0 rmw x 3; T0 cas x 1 -> 2 failed; T0 fence; T0 branch",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "object x memory 0x10000:8\n"
                "site 0 :1\n"
                "T0 load x 0 seq_cst @0  # :1\n"
                "T0 rmw x 3 -> 3 seq_cst @0  # :1\n"
                "T0 cas x 1 -> 2 seq_cst failed @0  # :1\n"
                "T0 fence seq_cst @0  # :1\n"
                "T0 branch @0  # :1\n");
    EXPECT_DUMP("T0 acquire L depth 2; T0 release L depth 1; T0 refused M shared try error 16",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "object L mutex 0x10000:8\n"
                "site 0 :1\n"
                "T0 acquire L depth 2 @0  # :1\n"
                "T0 release L depth 1 @0  # :1\n"
                "object M rwlock 0x10010:8\n"
                "T0 refused M shared try error 16 @0  # :1\n");
    EXPECT_DUMP("T0 end-assert \"x == 1\"; T0 mark begin; T0 mark benign y:4; T0 end-signal 11",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "site 0 :1\n"
                "T0 end-assert \"x == 1\" @0  # :1\n"
                "T0 mark begin @0  # :1\n"
                "object y memory 0x10000:8\n"
                "T0 mark benign y:4 @0  # :1\n"
                "T0 end-signal 11 @0  # :1\n");
}

TEST(sync_objects_get_the_class_of_their_use)
{
    EXPECT_DUMP("T0 init r rwlock; T0 destroy r; T0 wait-enter c; T0 signal c\n"
                "T0 sem-post s 1; T0 sem-wait s try 0; T0 arrive b 0; T0 once-enter o\n"
                "T0 futex-wait f 1 error 11 by #3; T0 channel-write ch at 100 len 10",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "object r rwlock 0x10000:8\n"
                "site 0 :1\n"
                "T0 init r rwlock @0  # :1\n"
                "T0 destroy r rwlock @0  # :1\n"
                "object c cond 0x10010:8\n"
                "T0 wait-enter c @0  # :1\n"
                "T0 signal c @0  # :1\n"
                "object s sem 0x10020:8\n"
                "site 1 :2\n"
                "T0 sem-post s 1 @1  # :2\n"
                "T0 sem-wait s try 0 @1  # :2\n"
                "object b barrier 0x10030:8\n"
                "T0 arrive b 0 @1  # :2\n"
                "object o once 0x10040:8\n"
                "T0 once-enter o @1  # :2\n"
                "object f futex 0x10050:8\n"
                "site 2 :3\n"
                "T0 futex-wait f 1 error 11 by #3 @2  # :3\n"
                "object ch channel 0x10060:8\n"
                "T0 channel-write ch at 100 len 10 @2  # :3\n");
}

TEST(addresses_made_up_stay_clear)
{
    EXPECT_DUMP("object a memory 0x10000:40; T0 write b+20:4 1; object c mutex :40\n"
                "object far memory 0x7fff00000000:8; T0 read d 0x100000000",
                "heddle trace 1 branches values\n"
                "object a memory 0x10000:40\n"
                "thread T0\n"
                "object b memory 0x10030:24\n"
                "site 0 :1\n"
                "T0 write b+20:4 1 @0  # :1\n"
                "object c mutex 0x10050:40\n"
                "object far memory 0x7fff00000000:8\n"
                "object d memory 0x10080:8\n"
                "site 1 :2\n"
                "T0 read d 0x100000000 @1  # :2\n");
}

TEST(imported_threads_go_by_their_names)
{
    EXPECT_DUMP("heddle trace 1 imported\n"
                "main write x 1; T7 read x 1; \"a b\" read x 1; main join T7; \"cut\" start",
                "heddle trace 1 imported\n"
                "thread main\n"
                "object x memory 0x10000:8\n"
                "site 0 :2\n"
                "main write x 1 @0  # :2\n"
                "thread T7\n"
                "T7 read x 1 @0  # :2\n"
                "thread \"a b\"\n"
                "\"a b\" read x 1 @0  # :2\n"
                "main join T7 @0  # :2\n"
                "thread \"cut\"\n"
                "\"cut\" start @0  # :2\n");
    EXPECT_DUMP("heddle trace 1 imported\n"
                "thread w \"worker\"; thread v parent w spawn 3 \"worker\"; thread u \"\"",
                "heddle trace 1 imported\n"
                "thread worker\n"
                "thread T1 parent worker spawn 3 \"worker\"\n"
                "thread T2 \"\"\n");
}

TEST(definitions_say_everything)
{
    const char *text =
        "heddle trace 1 branches values hashed freed\n"
        "thread T0 \"main\"\n"
        "thread T1 parent T0 spawn 0 \"worker\"\n"
        "thread T2 spawn 5\n"
        "site 0 bank.c:14:5 in deposit of balance stmt 2 unit 3 ordinal 7 from 1 2 6\n"
        "site 1 -\n"
        "site 2 :12\n"
        "site 3 - of L12\n"
        "site 4 \"my file.c\":3 in ns::f(int)\n"
        "site 5 bank.c\n"
        "object balance memory 0x601040:8\n"
        "object counter memory 0x601050:4\n"
        "object counter~2 memory 0x601060:4 \"counter\"\n"
        "object - memory 0x601070:0\n"
        "object - mutex 0x601080:40 \"counter~2\"\n"
        "T1 write balance 1 @0  # bank.c:14:5 deposit\n"
        "T1 write counter~2+1:2 1 @1\n"
        "T1 acquire 0x601080 @3  # L12\n"
        "T1 branch lock @4  # \"my file.c\":3 ns::f(int)\n"
        "T1 leave @5  # bank.c\n";
    EXPECT_DUMP(text, text);
    EXPECT(text_comes_back(text));
}

TEST(comments_and_layout)
{
    EXPECT_DUMP("# a remark; T0 write x 1\n"
                "\n ;; \t T0 write heap#12 1;# another\r\n"
                "T0\t read  heap#12\t1 #no space needed\r\n"
                "T0 signal c;T0 wait-leave c by #2 ## yes",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "object heap#12 memory 0x10000:8\n"
                "site 0 :3\n"
                "T0 write heap#12 1 @0  # :3\n"
                "site 1 :4\n"
                "T0 read heap#12 1 @1  # :4\n"
                "object c cond 0x10010:8\n"
                "site 2 :5\n"
                "T0 signal c @2  # :5\n"
                "T0 wait-leave c by #2 @2  # :5\n");
    EXPECT_DUMP("", "heddle trace 1 branches values\n");
    EXPECT_DUMP("# nothing", "heddle trace 1 branches values\n");
}

TEST(odd_names_are_quoted)
{
    EXPECT_DUMP(
        "T0 write \"a b\"+4:4 1; T0 write \"\\\"\\\\\\n\\x07\\xff\" 1; T0 write ns::x 1\n"
        "T0 write \"x+8\" 1; T0 write \"7\" 1; T0 write \"a:b\" 1; T0 write f(int)[*] 1\n"
        "T0 write \"plain\" 1; T0 write plain 2",
        "heddle trace 1 branches values\n"
        "thread T0\n"
        "object \"a b\" memory 0x10000:8\n"
        "site 0 :1\n"
        "T0 write \"a b\"+4:4 1 @0  # :1\n"
        "object \"\\\"\\\\\\n\\x07\\xff\" memory 0x10010:8\n"
        "T0 write \"\\\"\\\\\\n\\x07\\xff\" 1 @0  # :1\n"
        "object ns::x memory 0x10020:8\n"
        "T0 write ns::x 1 @0  # :1\n"
        "object \"x+8\" memory 0x10030:8\n"
        "site 1 :2\n"
        "T0 write \"x+8\" 1 @1  # :2\n"
        "object \"7\" memory 0x10040:8\n"
        "T0 write \"7\" 1 @1  # :2\n"
        "object \"a:b\" memory 0x10050:8\n"
        "T0 write \"a:b\" 1 @1  # :2\n"
        "object f(int)[*] memory 0x10060:8\n"
        "T0 write f(int)[*] 1 @1  # :2\n"
        "object plain memory 0x10070:8\n"
        "site 2 :3\n"
        "T0 write plain 1 @2  # :3\n"
        "T0 write plain 2 @2  # :3\n");
}

TEST(cut_means_not_closed)
{
    EXPECT_DUMP("heddle trace 1\nT0 start\ncut\n# the end\n", "heddle trace 1\n"
                                                              "thread T0\n"
                                                              "site 0 :2\n"
                                                              "T0 start @0  # :2\n"
                                                              "cut\n");
    EXPECT(text_comes_back("T0 write x 1; cut"));
}

/* ---- messages ---------------------------------------------------------------------------- */

static const struct {
    const char *text, *message;
} mistakes[] = {
    {"T0 wrote x 1", "t:1: unknown event 'wrote', did you mean 'write'?"},
    {"T0 read x\nT0 acquired L", "t:2: unknown event 'acquired', did you mean 'acquire'?"},
    {"T0 frobnicate x", "t:1: unknown event 'frobnicate', expected read, write, acquire, ..."},
    {"T0", "t:1: an event is missing behind the thread, expected read, write, ..."},
    {"\n\nx = 1", "t:3: 'x' begins no statement, expected T and a number, thread, site, object "
                  "or cut"},
    {"T0 read x 1 2", "t:1: unexpected '2', expected: read ADDRESS[:SIZE] [VALUE] [@SITE]"},
    {"T0 acquire", "t:1: unexpected end of statement, expected: acquire ADDRESS [FLAG ...] "
                   "[depth NUMBER] [@SITE]"},
    {"T0 mark", "t:1: unexpected end of statement, expected: mark MARK [ADDRESS[:LENGTH]] "
                "[@SITE]"},
    {"T0 read x 12ab", "t:1: '12ab' is not a number, expected a value"},
    {"T0 read x @3 4", "t:1: site '@3' is not defined"},
    {"T0 read x 1 @bank.c", "t:1: '@bank.c' is not a site, expected @NUMBER or @FILE:LINE"},
    {"T0 read x 1 @a:b", "t:1: expected a number behind ':' in '@a:b'"},
    {"T0 read x:0 1", "t:1: 'x:0': the size must be from 1 to 255"},
    {"T0 acquire L:4", "t:1: 'L:4': 'acquire' has no size"},
    {"T0 free p", "t:1: 'p': there is no block of this name"},
    {"T0 alloc p:8; T0 alloc p:8", "t:1: 'p' is already defined, on line 1"},
    {"T0 read p=0x10 1", "t:1: 'p=0x10': only 'alloc' and 'stack-enter' say where a name is"},
    {"T0 read 0xffffffffffffffff:8", "t:1: '0xffffffffffffffff:8' does not fit into memory"},
    {"T0 read a'b", "t:1: 'a'b' is not an address, expected NAME+OFFSET:SIZE or "
                    "0xADDRESS:SIZE"},
    {"T0 read 7up", "t:1: '7up' is not an address; a name with a digit in front stands in "
                    "double quotes"},
    {"T0 read x+99999999999999 1",
     "t:1: 'x+99999999999999' is too large for an object without an address"},
    {"T0 read \"x", "t:1: the closing '\"' is missing"},
    {"T0 read \"\\q\"", "t:1: unknown escape in '\"\\q\"', expected \\\" \\\\ \\n or \\xNN"},
    {"T0 create", "t:1: end of statement is not a thread, expected T and a number"},
    {"T0 create x", "t:1: 'x' is not a thread, expected T and a number"},
    {"T70000 start", "t:1: 'T70000': more than 65535 threads"},
    {"thread T1", "t:1: thread 'T1', expected T0: threads are defined in order"},
    {"thread T0; thread T0", "t:1: thread 'T0' is already defined"},
    {"thread T0 parent T3", "t:1: parent 'T3' is not defined yet"},
    {"site 1 a.c:3", "t:1: site 1, expected 0: sites are defined in order"},
    {"site 0 a.c:3 on b", "t:1: unexpected 'on', expected: site NUMBER POSITION [in FUNCTION] "
                          "[of NAME] [volatile] [stmt N] [unit N] [ordinal N] [from N ...]"},
    {"object x thing", "t:1: 'thing' is not a class of object, expected memory, mutex, cond, "
                       "..."},
    {"T0 wait-leave c by #0", "t:1: event '#0' comes after this one, which is #0"},
    {"T0 start; heddle trace 1", "t:1: 'heddle trace' has to be the first statement"},
    {"heddle trace 2", "t:1: version 2 of the notation, this heddle reads 1"},
    {"heddle trace 1 loud", "t:1: unknown flag 'loud', expected branches, values, hashed, "
                            "imported or freed"},
    {"cut; T0 start", "t:1: unexpected 'T0' behind 'cut', which ends the trace"},
    {"#1 T0 start; #1 T0 exit", "t:1: a second event '#1'"},
};

TEST(mistakes_are_explained)
{
    for (unsigned i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        EXPECT_DUMP(mistakes[i].text, mistakes[i].message);
}

TEST(texts_have_a_limit)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "T0 end-assert \"%0999d\"", 0);
    EXPECT(text_comes_back(text.at));
    text.len = 0;
    str_add(&text, "T0 end-assert \"%01001d\"", 0);
    EXPECT_DUMP(text.at, "t:1: a text of 1001 bytes, at most 1000 are allowed");
    text.len = 0;
    str_add(&text, "T0 write x%08192d", 0);
    EXPECT_DUMP(text.at, "t:1: a word of 8193 bytes, at most 8192 are allowed");
}

/* ---- filters ----------------------------------------------------------------------------- */

static const char story[] = "T0 alloc p:16; T0 write x 1; T1 write x+4:4 2; T1 write y 3\n"
                            "T1 signal c; T0 write p+8:4 5; T0 wait-leave c by #4; T0 free p";

static void expect_filtered(const struct trace_filter *f, const char *expected)
{
    AUTO(str) struct str text = dump_of_filtered(story, f);
    EXPECT_STR(text.at, expected);
    EXPECT(text_comes_back(text.at));
}

TEST(filter_by_number)
{
    expect_filtered(&(struct trace_filter){.from = 5, .to = 7},
                    "heddle trace 1 branches values\n"
                    "thread T0\n"
                    "site 0 :1\n"
                    "object x memory 0x10010:8\n"
                    "thread T1\n"
                    "object y memory 0x10020:8\n"
                    "object c cond 0x10030:8\n"
                    "site 1 :2\n"
                    "object heap#0 heap 0x10000:16\n"
                    "#5 T0 write heap#0+8:4 5 @1  # :2\n"
                    "#6 T0 wait-leave c by #4 @1  # :2\n");
}

TEST(filter_by_thread)
{
    struct trace_filter f = {.to = NO_EVENT};
    vec_push(&f.threads, 1);
    expect_filtered(&f, "heddle trace 1 branches values\n"
                        "thread T0\n"
                        "site 0 :1\n"
                        "object x memory 0x10010:8\n"
                        "thread T1\n"
                        "#2 T1 write x+4:4 2 @0  # :1\n"
                        "object y memory 0x10020:8\n"
                        "#3 T1 write y 3 @0  # :1\n"
                        "object c cond 0x10030:8\n"
                        "site 1 :2\n"
                        "#4 T1 signal c @1  # :2\n");
    vec_done(&f.threads);
}

TEST(filter_by_name)
{
    struct trace_filter f = {.to = NO_EVENT};
    vec_push(&f.names, TEXT("x"));
    vec_push(&f.names, TEXT("heap#0+8"));
    expect_filtered(&f, "heddle trace 1 branches values\n"
                        "thread T0\n"
                        "site 0 :1\n"
                        "#0 T0 alloc heap#0=0x10000:16 @0  # :1\n"
                        "object x memory 0x10010:8\n"
                        "#1 T0 write x 1 @0  # :1\n"
                        "thread T1\n"
                        "#2 T1 write x+4:4 2 @0  # :1\n"
                        "object y memory 0x10020:8\n"
                        "object c cond 0x10030:8\n"
                        "site 1 :2\n"
                        "#5 T0 write heap#0+8:4 5 @1  # :2\n"
                        "#7 T0 free heap#0 @1  # :2\n");
    vec_done(&f.names);
}

/* The numbers of the events that touch this, as "2 3 ". */
static void expect_touched(const char *text, struct text name, const char *expected)
{
    AUTO(str) struct str numbers = {0};
    struct trace_filter f = {.to = NO_EVENT};
    vec_push(&f.names, name);
    AUTO(str) struct str dump = dump_of_filtered(text, &f);
    vec_done(&f.names);
    str_add(&numbers, "%s", "");
    for (const char *at = dump.at; (at = strstr(at, "\n#")); at += 2)
        str_add(&numbers, "%.*s", (int)(strchr(at, ' ') + 1 - (at + 2)), at + 2);
    EXPECT_STR(numbers.at, expected);
}

TEST(filter_by_name_looks_at_every_byte)
{
    static const char text[] =
        "object a memory 0x1000:8; object b memory 0x1008:8\n"
        "object \"b+4\" memory 0x1010:8; object - memory 0x1018:8 \"b\"\n"
        "T0 write a 1; T0 write b 1; T1 read-range a:16 5; T1 write a+4:8 7\n"
        "T0 write \"b+4\" 2; T0 write b+5:1 2; T0 write 0x1018:4 1\n"
        "T0 mark benign; T0 read-range 0xff0:8 0; T0 write 0xfff:1 1";
    expect_touched(text, TEXT("a"), "0 2 3 ");
    expect_touched(text, TEXT("b"), "1 2 3 5 ");
    expect_touched(text, TEXT("b+4"), "1 2 4 ");
    expect_touched(text, TEXT("b~2"), "6 ");
    expect_touched(text, TEXT("b~2+3"), "6 ");
    expect_touched(text, TEXT("b~2+4"), "");
    expect_touched(text, TEXT("a+4"), "0 2 3 ");
    expect_touched(text, TEXT("a+3"), "0 2 ");
    expect_touched(text, TEXT("b+3"), "1 2 3 ");
    expect_touched(text, TEXT("b+0x5"), "1 2 5 ");
    expect_touched(text, TEXT("0xff7"), "8 ");
    expect_touched(text, TEXT("0x100d"), "1 2 5 ");
    expect_touched(text, TEXT("0"), "");
    expect_touched(text, TEXT("b+"), "");
    expect_touched(text, TEXT(""), "");
}

TEST(filtered_random_traces_parse)
{
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct gen g = {.rng = {seed}};
        struct trace_filter f = {.from = seed % 7, .to = seed % 5 ? NO_EVENT : 50};
        struct bytes trace = make_trace(&g, (uint32_t)(seed % 32), 60);
        if (seed % 3 == 0)
            vec_push(&f.threads, 0);
        if (seed % 4 == 0)
            vec_push(&f.names, TEXT("heap#0"));
        AUTO(str) struct str text = dump_filtered(&trace, &f);
        vec_done(&f.threads);
        vec_done(&f.names);
        if (!text_comes_back(text.at)) {
            FAIL("seed %llu", (unsigned long long)seed);
            return;
        }
    }
}

TEST(numbers_of_events_bind_references)
{
    EXPECT_DUMP("#10 T0 signal c; #12 T0 signal c; T1 wait-leave c by #12\n"
                "#20 T1 wait-leave c by #11",
                "heddle trace 1 branches values\n"
                "thread T0\n"
                "object c cond 0x10000:8\n"
                "site 0 :1\n"
                "T0 signal c @0  # :1\n"
                "T0 signal c @0  # :1\n"
                "thread T1\n"
                "T1 wait-leave c by #1 @0  # :1\n"
                "site 1 :2\n"
                "T1 wait-leave c @1  # :2\n");
}

/* ---- recognition ------------------------------------------------------------------------- */

static bool is_text(const char *text)
{
    struct bytes in = borrow(text, strlen(text));
    return text_is_trace(&in);
}

/* So that the reader can say what is wrong with them. */
TEST(recognised_by_a_first_statement_with_a_mistake)
{
    EXPECT(is_text("T0"));
    EXPECT(is_text("T0 wrote x 1"));
    EXPECT(is_text("thread"));
    EXPECT(is_text("thread x"));
    EXPECT(is_text("site x"));
    EXPECT(is_text("object x foo"));
    EXPECT(is_text("cut"));
    EXPECT(is_text("heddle trcae 1"));
}

TEST(recognised_by_its_first_statement)
{
    EXPECT(is_text("heddle trace 1"));
    EXPECT(is_text("# hello\n\n  T12 write x 1"));
    EXPECT(is_text("#3 T0 read x"));
    EXPECT(is_text("thread T0"));
    EXPECT(is_text("site 0 a.c:3"));
    EXPECT(is_text("object x memory"));
    EXPECT(!is_text("T0|r(V1)|12\nT0|w(V1)|13"));
    EXPECT(!is_text("T0 again|r(V1)|12"));
    EXPECT(!is_text("thread 1|w(V1)|13\nthread 1|w(V1)|13"));
    EXPECT(is_text("T0 write \"a|b|c\" 1"));
    EXPECT(!is_text("This is a letter"));
    EXPECT(!is_text("\"unclosed"));
    EXPECT(!is_text("# only a remark"));
    EXPECT(!is_text(""));
    EXPECT(!is_text("\x7f\x45LF\x01\x02"));
}
