/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of trace/: the binary format. What was written comes back; whatever is cut off or
 * changed gives a shorter trace or one message, never a crash; a writer that is killed loses
 * nothing before the event at hand. */
#include "trace/trace.h"

#include "base/rng.h"
#include "test.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { SITES = 20, THREADS = 5 };

static struct ev random_ev(struct rng *r, uint64_t number)
{
    static const char *const notes[] = {"", "x > 0", "queue.c:12: head != NULL"};
    struct ev e = {.kind = (uint8_t)(1 + rng_below(r, EV_COUNT - 1)),
                   .thr = rng_below(r, THREADS),
                   .site = rng_below(r, SITES),
                   .ref = NO_EVENT};
    if (rng_below(r, 2))
        e.kind = rng_below(r, 2) ? EV_READ : EV_WRITE;
    static const uint8_t sizes[] = {1, 2, 4, 8, 3, 10, 16};
    for (const char *f = ev_fields(e.kind); *f; f++)
        switch (*f) {
        case 'A':
            e.addr = rng_below(r, 4) ? 0x601000 + 4 * (uint64_t)rng_below(r, 64)
                                     : rng_next(r) >> (17 + rng_below(r, 30));
            break;
        case 'Z':
            e.size = sizes[rng_below(r, rng_below(r, 4) ? 4 : 7)];
            break;
        case 'L':
            e.len = rng_next(r) >> (20 + rng_below(r, 44));
            break;
        case 'V':
            e.value = rng_next(r) >> rng_below(r, 64);
            break;
        case 'W':
            e.value2 = rng_next(r) >> rng_below(r, 64);
            break;
        case 'M':
            e.order = (uint8_t)rng_below(r, ORDER_COUNT);
            break;
        case 'F':
            e.flags = (uint8_t)rng_below(r, 1u << FLAG_COUNT);
            break;
        case 'N':
            e.number = rng_next(r) >> rng_below(r, 64);
            break;
        case 'T':
            e.peer = rng_below(r, THREADS);
            break;
        case 'K':
            e.ref = number && rng_below(r, 2) ? rng_next(r) % number : NO_EVENT;
            break;
        case 'B':
            e.word = (uint8_t)rng_below(r, BRANCH_COUNT);
            break;
        case 'C':
            e.word = (uint8_t)rng_below(r, CLASS_COUNT);
            break;
        case 'R':
            e.word = (uint8_t)rng_below(r, MARK_COUNT);
            break;
        default:
            e.text = notes[rng_below(r, 3)];
            e.text_len = (uint32_t)strlen(e.text);
        }
    if (e.size && e.size < 8 && ev_is_scalar(e.kind)) {
        e.value = fmt_low_bytes(e.value, e.size);
        e.value2 = fmt_low_bytes(e.value2, e.size);
    }
    return e;
}

static void define(struct trace_writer *w)
{
    static const uint32_t depends[] = {1, 0, 300};
    static const char *const files[] = {"bank.c", "queue.c", ""};
    for (uint32_t i = 0; i < SITES; i++)
        trace_put_site(
            w,
            &(struct def_site){.file = {files[i % 3], (uint32_t)strlen(files[i % 3])},
                               .function = {"deposit", 3 + i % 4},
                               .name = {"balance", i % 7},
                               .line = 100 - i * 3,
                               .column = i,
                               .statement = i / 2,
                               .unit = 1,
                               .ordinal = i,
                               .depends_count = i % 4},
            depends);
    for (uint32_t i = 0; i < THREADS; i++)
        trace_put_thread_def(
            w, &(struct def_thread){.parent = i ? i - 1 : NO_ID, .name = {"worker", i}});
    trace_put_object(w, &(struct def_object){.addr = 0x601000, .size = 64, .name = {"acc", 3}});
}

static struct bytes random_trace(uint64_t seed, uint64_t count)
{
    struct rng r = {seed};
    struct trace_out *o = trace_out_new(TRACE_BRANCHES | TRACE_VALUES);
    struct trace_writer *w = trace_out_writer(o);
    struct bytes b = {0};
    struct err err;
    define(w);
    for (uint64_t i = 0; i < count; i++) {
        struct ev e = random_ev(&r, i);
        trace_put_event(w, &e);
    }
    CHECK(trace_out_bytes(o, 0, &b, &err) == 0);
    trace_out_free(o);
    return b;
}

static bool same_event(const struct ev *a, const struct ev *b)
{
    if (a->kind != b->kind || a->thr != b->thr || a->site != b->site)
        return false;
    for (const char *f = ev_fields(a->kind); *f; f++)
        if ((*f == 'A' && a->addr != b->addr) || (*f == 'Z' && a->size != b->size) ||
            (*f == 'L' && a->len != b->len) || (*f == 'V' && a->value != b->value) ||
            (*f == 'W' && a->value2 != b->value2) || (*f == 'M' && a->order != b->order) ||
            (*f == 'F' && a->flags != b->flags) || (*f == 'N' && a->number != b->number) ||
            (*f == 'T' && a->peer != b->peer) || (*f == 'K' && a->ref != b->ref) ||
            ((*f == 'B' || *f == 'C' || *f == 'R') && a->word != b->word) ||
            (*f == 'S' &&
             (a->text_len != b->text_len || memcmp(a->text, b->text, a->text_len) != 0)))
            return false;
    return true;
}

TEST(every_kind_of_event_comes_back)
{
    enum { COUNT = 400000 }; /* several blocks */
    struct trace t;
    struct bytes b = random_trace(1, COUNT);
    struct err err;
    REQUIRE(trace_open_bytes(&t, &b, "x", &err) == 0);
    EXPECT(t.bytes.len > 2 * BLOCK_BYTES);
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, &t);
    struct rng r = {1};
    struct ev e;
    int item;
    uint64_t bad = 0;
    while ((item = trace_next(c, &e, &err)) > 0)
        if (item == ITEM_EVENT) {
            struct ev want = random_ev(&r, c->number - 1);
            bad += !same_event(&e, &want);
        }
    EXPECT_EQ(item, ITEM_END);
    EXPECT_EQ(bad, 0);
    EXPECT_EQ(c->number, COUNT);
    EXPECT(!c->cut);
    EXPECT_EQ(t.sites.len, SITES);
    EXPECT_EQ(t.sites.at[7].line, 79);
    EXPECT_EQ(t.sites.at[7].depends_count, 3);
    EXPECT_EQ(t.threads.at[3].parent, 2);
    free(c);
    trace_close(&t);
}

/* Reads what a changed or shortened copy holds; returns the number of events, -1 if corrupt. */
static int64_t read_copy(const struct bytes *b, size_t len, size_t flip, uint8_t with,
                         bool *cut)
{
    struct bytes copy;
    struct err err = {{0}};
    CHECK(bytes_new(&copy, len, &err) == 0);
    memcpy((void *)(uintptr_t)copy.at, b->at, len);
    if (flip < len)
        ((uint8_t *)(uintptr_t)copy.at)[flip] ^= with;
    struct trace t;
    if (trace_open_bytes(&t, &copy, "x", &err) < 0)
        return -1;
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, &t);
    struct ev e;
    int item;
    while ((item = trace_next(c, &e, &err)) > 0)
        ;
    int64_t count = item < 0 ? -1 : (int64_t)c->number;
    if (item < 0)
        EXPECT(strstr(err.text, "corrupt at byte") != NULL);
    *cut = c->cut;
    free(c);
    trace_close(&t);
    return count;
}

TEST(a_trace_cut_at_any_byte_is_a_shorter_trace)
{
    struct bytes b = random_trace(2, 60);
    int64_t before = 0;
    bool cut;
    for (size_t len = sizeof(struct trace_head); len < b.len; len++) {
        int64_t count = read_copy(&b, len, len, 0, &cut);
        EXPECT(count >= before && count <= 60);
        EXPECT(cut || count == 60);
        before = count;
    }
    EXPECT_EQ(read_copy(&b, b.len, b.len, 0, &cut), 60);
    EXPECT(!cut);
    for (size_t len = 0; len < sizeof(struct trace_head); len++)
        EXPECT_EQ(read_copy(&b, len, len, 0, &cut), -1);
    bytes_done(&b);
}

TEST(a_changed_byte_in_the_data_is_noticed)
{
    struct bytes b = random_trace(3, 60);
    bool cut;
    for (size_t at = sizeof(struct trace_head) + sizeof(struct block_head); at < b.len; at++)
        for (unsigned bit = 0; bit < 8; bit++)
            EXPECT_EQ(read_copy(&b, b.len, at, (uint8_t)(1u << bit), &cut), -1);
    bytes_done(&b);
}

/* A block that was still open has no sum: the decoders themselves must stand anything. */
TEST(changed_bytes_in_an_open_block_never_crash)
{
    struct bytes b = random_trace(4, 60);
    struct block_head head;
    memcpy(&head, b.at + sizeof(struct trace_head), sizeof head);
    head.used_bytes = 0;
    head.sum = 0;
    memcpy((uint8_t *)(uintptr_t)b.at + sizeof(struct trace_head), &head, sizeof head);
    bool cut;
    for (size_t at = 0; at < b.len; at++)
        for (unsigned with = 1; with < 256; with += 3)
            read_copy(&b, b.len, at, (uint8_t)with, &cut);
    bytes_done(&b);
}

TEST(another_version_is_refused_by_name)
{
    struct bytes b = random_trace(5, 3);
    ((uint8_t *)(uintptr_t)b.at)[8] = 9;
    struct trace t;
    struct err err;
    EXPECT_EQ(trace_open_bytes(&t, &b, "x.trace", &err), -1);
    EXPECT_STR(err.text,
               "x.trace: trace format 9, this heddle reads 2: record the run again, or "
               "use the heddle that wrote it");
}

/* ---- what happens again ------------------------------------------------------------------ */

typedef VEC(struct ev) ev_vec;

static void put_both(struct trace_writer *w, ev_vec *all, struct ev e)
{
    trace_put_event(w, &e);
    vec_push(all, e);
}

/* Cycles of 1 to 16 accesses and branches that come round, then are counted on, to a place
 * inside of a round as well; other events between them. */
static struct bytes trace_with_repeats(uint64_t seed, uint32_t cycles, ev_vec *all)
{
    struct rng r = {seed};
    struct trace_out *o = trace_out_new(TRACE_BRANCHES | TRACE_VALUES);
    struct trace_writer *w = trace_out_writer(o);
    struct bytes b = {0};
    struct err err;
    define(w);
    for (uint32_t k = 0; k < cycles; k++) {
        uint32_t period = 1 + rng_below(&r, 16), thr = rng_below(&r, THREADS);
        struct ev cycle[16];
        for (uint32_t i = 0; i < period; i++) {
            uint32_t address = rng_below(&r, 50);
            cycle[i] = (struct ev){.thr = thr, .site = i, .kind = EV_BRANCH};
            if (rng_below(&r, 3))
                cycle[i] = (struct ev){.kind = rng_below(&r, 4) ? EV_READ : EV_WRITE,
                                       .thr = thr,
                                       .site = i,
                                       .size = 8,
                                       .addr = 0x601000 + 8 * address,
                                       .value = address};
        }
        for (uint32_t round = 0; round < 2; round++)
            for (uint32_t i = 0; i < period; i++)
                put_both(w, all, cycle[i]);
        const uint8_t *start = w->at, *block = w->block;
        for (uint32_t i = 0; i < period; i++)
            put_both(w, all, cycle[i]);
        uint32_t count = rng_below(&r, 5 * period);
        uint8_t *counter =
            w->block != block ? NULL
                              : trace_put_repeat(w, (uint8_t)period, (uint16_t)(w->at - start));
        for (uint32_t i = 0; counter && i < count; i++) {
            w->guess.site = cycle[i % period].site;
            w->event_count++;
            trace_repeat_count(counter, i + 1);
            vec_push(all, cycle[i % period]);
        }
        struct ev other = random_ev(&r, all->len);
        if (rng_below(&r, 2))
            put_both(w, all, other);
    }
    CHECK(trace_out_bytes(o, 0, &b, &err) == 0);
    trace_out_free(o);
    return b;
}

TEST(what_happens_again_is_read_as_often_as_it_did)
{
    for (unsigned values = 0; values < 2; values++) {
        ev_vec all = {0};
        struct bytes b = trace_with_repeats(1, 30000, &all);
        struct trace t;
        struct err err;
        REQUIRE(trace_open_bytes(&t, &b, "x", &err) == 0);
        EXPECT(t.bytes.len > 2 * BLOCK_BYTES);
        struct trace_cursor *c = mem_get(sizeof *c);
        cursor_init(c, &t);
        c->values = values;
        struct ev e = {0};
        int item;
        uint64_t bad = 0;
        while ((item = trace_next_bare(c, &e, &err)) > 0) {
            struct ev want = item == ITEM_EVENT ? all.at[c->number - 1] : e;
            if (!values && ev_is_scalar(want.kind))
                e.value = want.value, e.value2 = want.value2;
            bad += !same_event(&e, &want);
        }
        EXPECT_EQ(item, ITEM_END);
        EXPECT_EQ(bad, 0);
        EXPECT_EQ(c->number, all.len);
        EXPECT(!c->cut);
        free(c);
        trace_close(&t);
        vec_done(&all);
    }
}

TEST(repeats_that_are_cut_or_changed_never_crash)
{
    ev_vec all = {0};
    struct bytes b = trace_with_repeats(2, 8, &all);
    int64_t before = 0;
    bool cut;
    for (size_t len = sizeof(struct trace_head); len < b.len; len++) {
        int64_t count = read_copy(&b, len, len, 0, &cut);
        EXPECT(count >= before && count <= (int64_t)all.len);
        before = count;
    }
    EXPECT_EQ(read_copy(&b, b.len, b.len, 0, &cut), all.len);
    struct block_head head;
    memcpy(&head, b.at + sizeof(struct trace_head), sizeof head);
    head.used_bytes = 0;
    head.sum = 0;
    memcpy((uint8_t *)(uintptr_t)b.at + sizeof(struct trace_head), &head, sizeof head);
    for (size_t at = sizeof(struct trace_head); at < b.len; at++)
        for (unsigned with = 1; with < 256; with += 7)
            read_copy(&b, b.len, at, (uint8_t)with, &cut);
    bytes_done(&b);
    vec_done(&all);
}

/* ---- killed while writing ---------------------------------------------------------------- */

/* The child writes and counts what it has finished in shared memory; the parent kills it. */
static void write_until_killed(const char *path, volatile uint64_t *finished)
{
    struct err err;
    struct trace_out *o = trace_out_create(path, TRACE_VALUES, &err);
    CHECK(o);
    struct trace_writer *w = trace_out_writer(o);
    struct rng r = {6};
    define(w);
    for (uint64_t i = 0;; i++) {
        struct ev e = random_ev(&r, i);
        trace_put_event(w, &e);
        *finished = i + 1;
    }
}

static void check_killed(const char *path, uint64_t finished)
{
    struct trace t;
    struct err err;
    if (trace_open(&t, path, &err) < 0) {
        EXPECT_EQ(finished, 0);
        return;
    }
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, &t);
    struct rng r = {6};
    struct ev e;
    int item;
    bool same = true;
    while ((item = trace_next(c, &e, &err)) > 0)
        if (item == ITEM_EVENT) {
            struct ev want = random_ev(&r, c->number - 1);
            same &= same_event(&e, &want);
        }
    EXPECT_EQ(item, ITEM_END);
    EXPECT(same);
    EXPECT(c->cut);
    EXPECT(c->number == finished || c->number == finished + 1);
    free(c);
    trace_close(&t);
}

TEST(a_killed_writer_loses_nothing)
{
    char path[512];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/heddle-unit-killed", dir ? dir : "/tmp");
    volatile uint64_t *finished =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(finished != MAP_FAILED);
    for (uint64_t wait = 0; wait < 40; wait++) {
        *finished = 0;
        pid_t child = fork();
        if (child == 0) {
            write_until_killed(path, finished);
            _exit(0);
        }
        /* from a few events to several blocks */
        while (*finished < wait * wait * wait * 12)
            ;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        check_killed(path, *finished);
    }
    unlink(path);
    munmap((void *)finished, 4096);
}

TEST(a_finished_file_is_closed_and_cut_to_size)
{
    char path[512];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/heddle-unit-finished", dir ? dir : "/tmp");
    struct err err;
    AUTO(trace_out) struct trace_out *o = trace_out_create(path, TRACE_VALUES, &err);
    REQUIRE(o);
    define(trace_out_writer(o));
    REQUIRE(trace_out_finish(o, &err) == 0);
    struct trace t;
    REQUIRE(trace_open(&t, path, &err) == 0);
    EXPECT(t.head.flags & TRACE_CLOSED);
    EXPECT(t.file_bytes < 4096);
    trace_close(&t);
    unlink(path);
}

/* In a child whose files may not grow past one block: definitions stop fitting before events
 * do, and nothing may be written to the block that is gone. */
static void write_past_the_limit(const char *path)
{
    struct err err;
    struct trace_out *o = trace_out_create(path, TRACE_VALUES, &err);
    CHECK(o);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){BLOCK_BYTES, BLOCK_BYTES});
    signal(SIGXFSZ, SIG_IGN);
    struct trace_writer *w = trace_out_writer(o);
    define(w);
    for (uint32_t i = 0; i < 1000000; i++) {
        if (i % 500 == 0)
            trace_put_site(w, &(struct def_site){.line = i}, NULL);
        trace_put_access(w, 1, 0, 0x1000 + 8 * (uint64_t)i * i % 4096, 3, i);
    }
    CHECK(w->failed && trace_out_finish(o, &err) < 0);
}

TEST(a_full_disk_ends_the_trace_and_nothing_else)
{
    char path[512];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/heddle-unit-full", dir ? dir : "/tmp");
    pid_t child = fork();
    if (child == 0) {
        write_past_the_limit(path);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    struct trace t;
    struct err err;
    struct ev e;
    int item;
    REQUIRE(trace_open(&t, path, &err) == 0);
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, &t);
    while ((item = trace_next(c, &e, &err)) > 0)
        ;
    EXPECT_EQ(item, ITEM_END);
    EXPECT(c->cut && c->number > 10000);
    free(c);
    trace_close(&t);
    unlink(path);
}

/* ---- space ------------------------------------------------------------------------------- */

/* Random objects against a list that is searched from its end. */
TEST(space_agrees_with_a_list)
{
    enum { COUNT = 3000 };
    struct object *all = mem_get(COUNT * sizeof *all);
    bool *live = mem_get(COUNT);
    struct rng r = {8};
    struct space *s = space_new();
    struct trace_cursor *c = mem_get(sizeof *c);
    uint32_t count = 0;
    for (; count < COUNT; count++) {
        struct ev e = {.kind = EV_ALLOC,
                       .addr = 0x100000 + (uint64_t)rng_below(&r, 1 << 20),
                       .len = rng_below(&r, 8) ? rng_below(&r, 300) : rng_below(&r, 1 << 19)};
        space_feed(s, c, ITEM_EVENT, &e);
        all[count] = (struct object){.addr = e.addr, .size = e.len ? e.len : 1};
        live[count] = true;
        for (uint32_t i = 0; i < count; i++)
            if (all[i].addr < e.addr + all[count].size && e.addr < all[i].addr + all[i].size)
                live[i] = false;
        uint64_t probe = 0x100000 + (uint64_t)rng_below(&r, 1 << 20);
        uint32_t want = NONE;
        for (uint32_t i = 0; i <= count; i++)
            if (live[i] && probe - all[i].addr < all[i].size)
                want = i;
        EXPECT_EQ(space_find(s, probe), want);
        uint64_t until = probe + 1 + rng_below(&r, 5000), end = probe + 1;
        while (end < until && space_find(s, end) == want)
            end++;
        EXPECT_EQ(space_until(s, probe, until), end);
    }
    space_free(s);
    free(all);
    free(live);
    free(c);
}
