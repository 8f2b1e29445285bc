/* SPDX-License-Identifier: Apache-2.0
 *
 * The files beside a trace: what is written reads back, what is cut reads as far as it goes,
 * and what is wrong is refused with one message. */
#include "test.h"
#include "trace/trace.h"

#include <string.h>

/* ---- helpers ----------------------------------------------------------------------------- */

static struct bytes copy_of(const struct str *s, size_t len)
{
    struct bytes b = {0};
    struct err err;
    if (bytes_new(&b, len, &err) == 0)
        memcpy((void *)(uintptr_t)b.at, s->at, len);
    return b;
}

/* The text form of the first len bytes, or the message. */
static struct str print_part(const struct str *s, size_t len)
{
    struct str out = {0};
    struct err err = {"?"};
    struct runfile r;
    struct bytes b = copy_of(s, len);
    if (runfile_open_bytes(&r, &b, "f", &err) < 0) {
        str_add(&out, "%s", err.text);
        return out;
    }
    str_bytes(&out, "", 0);
    runfile_print(&r, &out);
    runfile_close(&r);
    return out;
}

static void expect_print(const struct runfile_out *o, const char *expected)
{
    AUTO(str) struct str got = print_part(&o->bytes, o->bytes.len);
    EXPECT_STR(got.at, expected);
}

static void add_text(struct runfile_out *o, unsigned tag, const char *text)
{
    runfile_add(o, (struct log_record){.tag = (uint16_t)tag, .bytes = strlen(text)}, text);
}

static void put16(struct runfile_out *o, size_t at, uint16_t value)
{
    memcpy(o->bytes.at + at, &value, sizeof value);
}

static void put32(struct runfile_out *o, size_t at, uint32_t value)
{
    memcpy(o->bytes.at + at, &value, sizeof value);
}

static void put64(struct runfile_out *o, size_t at, uint64_t value)
{
    memcpy(o->bytes.at + at, &value, sizeof value);
}

/* Where the parts of the first record are. */
enum { HEAD = 16, MARK = HEAD, TAG = HEAD + 2, THR = HEAD + 4, BYTES = HEAD + 24 };

static void auto_runfile_out(struct runfile_out *o)
{
    str_done(&o->bytes);
}

/* ---- reading what was written ------------------------------------------------------------ */

TEST(command_reads_back)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_COMMAND);
    add_text(&o, TAG_ARGUMENT, "./bank");
    add_text(&o, TAG_ARGUMENT, "");
    add_text(&o, TAG_ARGUMENT, "a \"b\"\t\\ \x01\n");
    add_text(&o, TAG_DIRECTORY, "/tmp");
    add_text(&o, TAG_ENVIRONMENT, "HOME=/srv/\xc3\xa4");
    add_text(&o, TAG_BUILD, "00ff");
    expect_print(&o, "argument \"./bank\"\n"
                     "argument \"\"\n"
                     "argument \"a \\\"b\\\"\\t\\\\ \\x01\\n\"\n"
                     "directory \"/tmp\"\n"
                     "environment \"HOME=/srv/\\xc3\\xa4\"\n"
                     "build \"00ff\"\n");
}

TEST(records_keep_all_fields)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    struct log_record head = {
        .tag = TAG_CALL, .thr = 3, .ordinal = 7, .error = -2, .result = INT64_MIN, .bytes = 9};
    runfile_begin(&o, LOG_INPUT);
    runfile_add(&o, head, "read\0abcd");
    struct runfile r;
    struct err err;
    struct bytes b = copy_of(&o.bytes, o.bytes.len);
    REQUIRE(runfile_is(&b));
    REQUIRE(runfile_open_bytes(&r, &b, "f", &err) == 0);
    REQUIRE(r.entries.len == 1);
    const struct log_record *h = &r.entries.at[0].head;
    EXPECT_EQ(h->thr, 3);
    EXPECT_EQ(h->ordinal, 7);
    EXPECT_EQ(h->error, -2);
    EXPECT_EQ(h->result, INT64_MIN);
    EXPECT(memcmp(r.entries.at[0].data, "read\0abcd", 9) == 0);
    EXPECT(!r.cut);
    runfile_close(&r);
}

TEST(input_and_output_show_the_start_of_their_data)
{
    char many[200];
    memset(many, 'x', sizeof many);
    AUTO(runfile_out) struct runfile_out in = {0}, out = {0};
    runfile_begin(&in, LOG_INPUT);
    runfile_add(
        &in,
        (struct log_record){.tag = TAG_CALL, .thr = 1, .ordinal = 3, .result = 4, .bytes = 9},
        "read\0\x7f\x45LF");
    runfile_add(&in,
                (struct log_record){.tag = TAG_CALL, .error = 11, .result = -1, .bytes = 7},
                "accept\0");
    expect_print(&in, "call T1 #3 read = 4 errno 0 4 bytes \"\\x7fELF\"\n"
                      "call T0 #0 accept = -1 errno 11 0 bytes\n");
    runfile_begin(&out, LOG_OUTPUT);
    runfile_add(&out, (struct log_record){.tag = TAG_PRINTED, .ordinal = 1, .bytes = 1}, "\n");
    runfile_add(&out, (struct log_record){.tag = TAG_PRINTED, .ordinal = 2, .bytes = 200},
                many);
    expect_print(&out, "printed fd 1 1 byte \"\\n\"\n"
                       "printed fd 2 200 bytes "
                       "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"...\n");
}

TEST(outcome_reads_back)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    const char *cycle = "T1 waits for T2";
    runfile_begin(&o, LOG_OUTCOME);
    runfile_add(&o,
                (struct log_record){.tag = TAG_OUTCOME, .ordinal = WORD_VALUE(OUTCOME, EXIT)},
                NULL);
    runfile_add(&o,
                (struct log_record){.tag = TAG_OUTCOME,
                                    .ordinal = WORD_VALUE(OUTCOME, DEADLOCK),
                                    .result = -1,
                                    .bytes = strlen(cycle)},
                cycle);
    runfile_add(&o, (struct log_record){.tag = TAG_STACK, .thr = 2, .bytes = 4}, "main");
    add_text(&o, TAG_DOUBT, "shm_open");
    runfile_add(
        &o, (struct log_record){.tag = TAG_DOUBT, .ordinal = DOUBT_INPUT_MISSING, .bytes = 4},
        "read");
    expect_print(&o, "exit 0\n"
                     "deadlock \"T1 waits for T2\"\n"
                     "stack T2 \"main\"\n"
                     "doubt unmodelled-call \"shm_open\"\n"
                     "doubt input-missing \"read\"\n");
}

/* A wait for `object` with these three texts, the last zero byte included. */
static void add_wait(struct runfile_out *o, struct log_record head, const struct log_wait *w,
                     const char *texts, size_t len)
{
    AUTO(str) struct str data = {0};
    str_bytes(&data, (const char *)w, sizeof *w);
    str_bytes(&data, texts, len);
    head.bytes = data.len;
    runfile_add(o, head, data.at);
}

static struct log_record wait_head(uint16_t tag, uint32_t thr)
{
    return (struct log_record){.tag = tag, .thr = thr, .ordinal = WORD_VALUE(WAITS, MUTEX)};
}

TEST(waits_read_back)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    struct log_wait w = {.object = 0x10, .line = 7}, holder = {.line = 3, .number = 1};
    runfile_begin(&o, LOG_OUTCOME);
    add_wait(&o, wait_head(TAG_WAIT, 1), &w, "a.c\0f\0m", 8);
    add_wait(&o, wait_head(TAG_HOLDER, 2), &holder, "a.c\0g\0", 7);
    expect_print(&o, "wait T1 for \"mutex\" object 0x10 \"m\" at \"a.c\":7 \"f\"\n"
                     "holder T2 1 of 0 object 0x0 \"\" at \"a.c\":3 \"g\"\n");
}

TEST(a_wait_without_its_texts_is_corrupt)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    struct log_wait w = {.line = 7};
    runfile_begin(&o, LOG_OUTCOME);
    add_wait(&o, wait_head(TAG_WAIT, 1), &w, "a.c\0f\0m", 7);
    expect_print(&o, "f: corrupt outcome file at byte 16: no wait is described there");
}

TEST(a_holder_belongs_to_a_wait)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    struct log_wait w = {.line = 7};
    runfile_begin(&o, LOG_OUTCOME);
    add_wait(&o, wait_head(TAG_HOLDER, 1), &w, "a.c\0f\0m", 8);
    expect_print(&o, "f: corrupt outcome file at byte 16: nobody waits for what is held");
}

TEST(schedule_reads_back)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_SCHEDULE);
    expect_print(&o, "");
    runfile_choice(&o, (struct choice){.why = WORD_VALUE(SWITCH, START)});
    runfile_choice(&o, (struct choice){120, 2, WORD_VALUE(SWITCH, PREEMPTED), 0});
    runfile_choice(
        &o, (struct choice){UINT64_MAX, THREADS_MAX - 1, WORD_VALUE(SWITCH, HANDLER), 0});
    expect_print(&o, "step 0: T0 (start)\n"
                     "step 120: T2 (preempted)\n"
                     "step 18446744073709551615: T65534 (handler)\n");
}

/* ---- cut files --------------------------------------------------------------------------- */

static unsigned count_lines(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

TEST(cut_anywhere_leaves_the_records_before_it)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    size_t ends[4];
    runfile_begin(&o, LOG_COMMAND);
    ends[0] = o.bytes.len;
    for (unsigned i = 1; i < 4; i++) {
        add_text(&o, TAG_ARGUMENT, i == 2 ? "12345678" : "abc");
        ends[i] = o.bytes.len;
    }
    for (size_t len = HEAD; len <= o.bytes.len; len++) {
        unsigned whole = 0;
        while (whole < 3 && ends[whole + 1] <= len)
            whole++;
        bool cut = ends[whole] != len;
        AUTO(str) struct str got = print_part(&o.bytes, len);
        if (!EXPECT_EQ(count_lines(got.at), whole + cut))
            return;
        EXPECT(cut == (strstr(got.at, "cut\n") != NULL));
    }
}

TEST(cut_schedule_leaves_the_choices_before_it)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_SCHEDULE);
    for (unsigned i = 0; i < 3; i++)
        runfile_choice(&o, (struct choice){i, i, 0, 0});
    for (size_t len = HEAD; len <= o.bytes.len; len++) {
        AUTO(str) struct str got = print_part(&o.bytes, len);
        bool cut = (len - HEAD) % sizeof(struct choice) != 0;
        EXPECT_EQ(count_lines(got.at), (len - HEAD) / sizeof(struct choice) + cut);
    }
}

TEST(head_cut_anywhere_is_refused)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_OUTPUT);
    for (size_t len = 0; len < HEAD; len++) {
        AUTO(str) struct str got = print_part(&o.bytes, len);
        EXPECT_STR(got.at,
                   len < 8 ? "f: not a command, schedule, input, output or outcome file"
                           : "f: the head is cut off: the writer died before its first record");
    }
}

/* A writer that dies leaves the mark of its record, and the pages behind it, zero. */
TEST(record_without_its_mark_does_not_exist)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_COMMAND);
    add_text(&o, TAG_ARGUMENT, "abc");
    size_t second = o.bytes.len;
    add_text(&o, TAG_ARGUMENT, "def");
    put16(&o, second, 0);
    expect_print(&o, "argument \"abc\"\ncut\n");

    AUTO(runfile_out) struct runfile_out s = {0};
    static const char zeros[4096];
    runfile_begin(&s, LOG_SCHEDULE);
    runfile_choice(&s, (struct choice){0});
    str_bytes(&s.bytes, zeros, sizeof zeros);
    expect_print(&s, "step 0: T0 (start)\ncut\n");
}

/* ---- hostile files ----------------------------------------------------------------------- */

TEST(newer_version_is_refused_by_name)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_SCHEDULE);
    put32(&o, 8, 3);
    expect_print(&o, "f: schedule format 3, this heddle reads 2: record the run again, or use "
                     "the heddle that wrote it");
    put32(&o, 12, 77);
    expect_print(&o, "f: run file format 3, this heddle reads 2: record the run again, or use "
                     "the heddle that wrote it");
    put32(&o, 8, 2);
    expect_print(&o, "f: corrupt head: no kind 77 of file");
    put64(&o, 0, TRACE_MAGIC);
    expect_print(&o, "f: not a command, schedule, input, output or outcome file");
}

TEST(wrong_records_are_corrupt)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_COMMAND);
    add_text(&o, TAG_ARGUMENT, "abc");
    put16(&o, MARK, 1);
    expect_print(&o, "f: corrupt command file at byte 16: no record starts here");
    put16(&o, MARK, LOG_MARK);
    put16(&o, TAG, TAG_CALL);
    expect_print(&o, "f: corrupt command file at byte 16: unknown record");
    put16(&o, TAG, 0);
    expect_print(&o, "f: corrupt command file at byte 16: unknown record");
    put16(&o, TAG, UINT16_MAX);
    expect_print(&o, "f: corrupt command file at byte 16: unknown record");
}

TEST(hostile_lengths_read_nothing_beyond_the_end)
{
    static const uint64_t lengths[] = {9, 4096, (uint64_t)1 << 31};
    static const uint64_t beyond[] = {((uint64_t)1 << 31) + 1, INT64_MAX, UINT64_MAX - 7,
                                      UINT64_MAX};
    AUTO(runfile_out) struct runfile_out o = {0};
    runfile_begin(&o, LOG_COMMAND);
    add_text(&o, TAG_ARGUMENT, "abc");
    for (unsigned i = 0; i < 3; i++) {
        put64(&o, BYTES, lengths[i]);
        expect_print(&o, "cut\n");
    }
    for (unsigned i = 0; i < 4; i++) {
        put64(&o, BYTES, beyond[i]);
        expect_print(&o, "f: corrupt command file at byte 16: the record is too long");
    }
}

TEST(wrong_words_and_threads_are_corrupt)
{
    AUTO(runfile_out) struct runfile_out o = {0}, s = {0};
    runfile_begin(&o, LOG_OUTCOME);
    runfile_add(&o, (struct log_record){.tag = TAG_OUTCOME, .ordinal = OUTCOME_COUNT}, NULL);
    expect_print(&o, "f: corrupt outcome file at byte 16: unknown outcome");
    put16(&o, TAG, TAG_STACK);
    put32(&o, THR, THREADS_MAX);
    expect_print(&o, "f: corrupt outcome file at byte 16: no such thread");
    runfile_begin(&s, LOG_SCHEDULE);
    runfile_choice(&s, (struct choice){0, THREADS_MAX, 0, 0});
    expect_print(&s, "f: corrupt schedule file at byte 16: no such thread");
    put32(&s, HEAD + 8, 0);
    put16(&s, HEAD + 12, SWITCH_COUNT);
    expect_print(&s, "f: corrupt schedule file at byte 16: unknown reason of a choice");
    put16(&s, HEAD + 14, 1);
    expect_print(&s, "f: corrupt schedule file at byte 16: no choice starts here");
}

TEST(call_without_a_name_is_corrupt)
{
    static const char *const names[] = {"", "read", "\0read", "a b\0", "\xff\0"};
    static const size_t lens[] = {0, 4, 5, 4, 2};
    for (unsigned i = 0; i < 5; i++) {
        AUTO(runfile_out) struct runfile_out o = {0};
        runfile_begin(&o, LOG_INPUT);
        runfile_add(&o, (struct log_record){.tag = TAG_CALL, .bytes = lens[i]}, names[i]);
        expect_print(&o, "f: corrupt input file at byte 16: the call has no name");
    }
    char name[66];
    memset(name, 'a', sizeof name);
    for (unsigned len = 64; len <= 65; len++) {
        AUTO(runfile_out) struct runfile_out o = {0};
        runfile_begin(&o, LOG_INPUT);
        name[len] = 0;
        runfile_add(&o, (struct log_record){.tag = TAG_CALL, .bytes = len + 1}, name);
        AUTO(str) struct str got = print_part(&o.bytes, o.bytes.len);
        EXPECT((strstr(got.at, "corrupt") != NULL) == (len == 65));
        name[len] = 'a';
    }
}

TEST(packed_files_are_read)
{
    AUTO(runfile_out) struct runfile_out o = {0};
    struct bytes plain, packed;
    struct err err;
    runfile_begin(&o, LOG_COMMAND);
    add_text(&o, TAG_ARGUMENT, "abc");
    plain = copy_of(&o.bytes, o.bytes.len);
    REQUIRE(bytes_pack_zstd(&plain, &packed, &err) == 0);
    bytes_done(&plain);
    struct runfile r;
    REQUIRE(runfile_open_bytes(&r, &packed, "f", &err) == 0);
    EXPECT_EQ(r.entries.len, 1);
    runfile_close(&r);
}

TEST(missing_file_is_named)
{
    struct runfile r;
    struct err err;
    EXPECT(runfile_open(&r, "/nonexistent/schedule", &err) < 0);
    EXPECT_STR(err.text, "/nonexistent/schedule: No such file or directory");
}
