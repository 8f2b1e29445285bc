/* SPDX-License-Identifier: Apache-2.0
 *
 * record: the trace and the schedule of the run, through shared mappings of their files: what
 * is stored is there, even if the process is killed at the next instruction. */
#include "heddle/weak.h"
#include "rt/repeat.h"
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    TRACE_WINDOW_BYTES = 16 << 20,
    SCHEDULE_WINDOW_BYTES = 1 << 20,
    WINDOW_TRACE = 0,
    WINDOW_SCHEDULE = 1,
    POPULATE_WRITE = 23, /* MADV_POPULATE_WRITE: fault a block in at once */
    CLAIM_BYTES = 64 << 10,
};

/* ---- files --------------------------------------------------------------------------- */

/* 0, or -errno. */
static long file_window(struct run_file *f, uint64_t offset, int fixed)
{
    uint64_t end = offset + f->window_bytes;
    CHECK(offset % 4096 == 0 && (offset == 0 || offset > f->offset));
    long e = sys_truncate(f->fd, end < rt.file_max ? end : rt.file_max);
    if (e < 0)
        return e;
    if (!sys_map(f->at, f->window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, f->fd,
                 offset))
        return -ENOMEM;
    f->offset = offset;
    return 0;
}

/* Room on the disk now, so that a full one is an error here and not a SIGBUS later; not every
 * file system can say. 0, or -errno. */
static long file_claim(const struct run_file *f, uint64_t offset, uint64_t bytes)
{
    if (offset + bytes > rt.file_max)
        return -EFBIG;
    long e = sys_allocate(f->fd, offset, bytes);
    return e == -ENOSPC || e == -EDQUOT || e == -EFBIG ? e : 0;
}

static void path_in(char *at, uint32_t cap, const char *name, const char *suffix)
{
    struct text text = {at, 0, cap};
    text_put(&text, rt.set.dir);
    text_put(&text, "/");
    text_put(&text, name);
    text_put(&text, suffix);
}

/* It gets its name when its head is written: there is no moment at which it is unreadable. */
int run_file_create(struct run_file *f, const char *name, const void *head, uint64_t head_bytes,
                    unsigned window, uint64_t window_bytes)
{
    char path[PATH_BYTES + 32], fresh[PATH_BYTES + 32];
    path_in(path, sizeof path, name, "");
    path_in(fresh, sizeof fresh, name, ".new");
    *f =
        (struct run_file){.name = name,
                          .at = memory_window(window),
                          .window_bytes = window_bytes,
                          .used = head_bytes,
                          .claimed = CLAIM_BYTES}; /* whoever starts runs looks for that much */
    f->fd = input_high(sys_open(fresh, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    long e = f->fd < 0 ? f->fd : sys_pwrite(f->fd, head, head_bytes, 0);
    if (e >= 0 && e != (long)head_bytes)
        e = -ENOSPC;
    if (e >= 0)
        e = sys_call(SYS_rename, (long)fresh, (long)path, 0, 0, 0, 0);
    if (e >= 0)
        e = file_window(f, 0, MAP_FIXED_NOREPLACE);
    return e < 0 ? (int)e : 0;
}

static void file_finish(struct run_file *f)
{
    if (f->fd < 0)
        return;
    sys_truncate(f->fd, f->used);
    sys_close(f->fd);
    f->fd = -1;
}

/* A run without its record is of no use: it ends here, and what was recorded stays. */
void record_failed(const char *name, long e)
{
    char at[PATH_BYTES + 200], path[PATH_BYTES + 32];
    struct text text = {at, 0, sizeof at};
    struct run_file *f = &rt.trace_file;
    if (rt.recording && !rt.trace.failed)
        f->used = f->offset + (uint64_t)(rt.trace.at - f->at);
    rt.recording = false;
    file_finish(f);
    file_finish(&rt.schedule_file);
    file_finish(&rt.shared_file);
    path_in(path, sizeof path, name, "");
    text_put(&text, "heddle: cannot write ");
    text_put(&text, path);
    text_put(&text, e == -ENOSPC || e == -EDQUOT ? ": no room on the disk (see heddle clean)"
                    : e == -EFBIG                ? ": larger than a file may be (see ulimit -f)"
                                                 : "");
    text_put(&text, "\n");
    sys_write(2, at, text.len);
    sys_exit(4);
}

/* For one more record; false if the file is not written. */
bool run_file_room(struct run_file *f, uint64_t bytes)
{
    long e = 0;
    if (f->fd < 0)
        return false;
    if (LIKELY(f->used + bytes <= f->claimed))
        return true;
    if (f->used + bytes > f->offset + f->window_bytes)
        e = file_window(f, f->offset + f->window_bytes, MAP_FIXED);
    if (e == 0)
        e = file_claim(f, f->claimed, CLAIM_BYTES);
    if (e < 0)
        record_failed(f->name, e);
    f->claimed += CLAIM_BYTES;
    CHECK(f->used >= f->offset && f->used + bytes <= f->offset + f->window_bytes);
    CHECK(f->used + bytes <= f->claimed);
    return true;
}

/* ---- trace --------------------------------------------------------------------------- */

static uint8_t *block_start(void)
{
    bool first = rt.trace_file.offset == 0 && rt.trace.block == rt.trace_file.at;
    return rt.trace.block + (first ? sizeof(struct trace_head) : 0);
}

static void put_full_bytes(uint64_t bytes)
{
    sys_pwrite(rt.trace_file.fd, &bytes, sizeof bytes, offsetof(struct trace_head, full_bytes));
}

/* Limits are about a trace with all repeats written out: whoever reads it has to cope with as
 * many events. */
void record_limits(void)
{
    const struct run_file *f = &rt.trace_file;
    uint64_t bytes = f->offset + (uint64_t)(rt.trace.block - f->at) + rt.repeat.skipped;
    if (bytes > rt.set.budget && rt.everything) {
        put_full_bytes(bytes);
        shadow_everything(false);
    }
    if (bytes > rt.set.bytes)
        rt.accesses = false;
}

static int trace_turn(struct trace_writer *w)
{
    struct run_file *f = &rt.trace_file;
    CHECK(w->at >= w->block && w->at <= w->block + BLOCK_BYTES);
    block_close(w, block_start());
    uint64_t next = f->offset + (uint64_t)(w->block - f->at) + BLOCK_BYTES;
    f->used = f->offset + (uint64_t)(w->at - f->at);
    long e = 0;
    if (next >= f->offset + f->window_bytes)
        e = file_window(f, next, MAP_FIXED);
    if (e == 0)
        e = file_claim(f, next, BLOCK_BYTES);
    if (e < 0) {
        w->failed = 1; /* its place is in the window that was */
        record_failed("trace", e);
    }
    CHECK(next >= f->offset && next + BLOCK_BYTES <= f->offset + f->window_bytes);
    uint8_t *block = f->at + (next - f->offset);
    sys_call(SYS_madvise, (long)block, BLOCK_BYTES, POPULATE_WRITE, 0, 0, 0);
    block_open(w, block, block);
    record_limits();
    return 0;
}

static struct def_text text_of(const char *s)
{
    return (struct def_text){s, (uint32_t)__builtin_strlen(s)};
}

static void flags_clear(uint32_t flag)
{
    uint32_t flags = rt.trace_flags &= ~flag;
    sys_pwrite(rt.trace_file.fd, &flags, sizeof flags, offsetof(struct trace_head, flags));
}

void record_freed(void)
{
    if (!rt.recording || (rt.trace_flags & TRACE_UNENFORCED))
        return;
    uint32_t flags = rt.trace_flags |= TRACE_UNENFORCED;
    sys_pwrite(rt.trace_file.fd, &flags, sizeof flags, offsetof(struct trace_head, flags));
}

uint32_t record_site_slow(struct __heddle_site *site)
{
    if (!site)
        site = &rt.nowhere;
    if (site->id)
        return site->id - 1;
    if (!rt.recording)
        return 0;
    struct __heddle_unit *unit = __heddle_site_unit(site);
    for (struct __heddle_site *s = site; !s->unit; s--)
        s->unit = unit; /* nobody goes the same way twice */
    if (!unit->number) {
        unit->number = ++rt.unit_count;
        if (!(unit->flags & HEDDLE_UNIT_BRANCHES) && (rt.trace_flags & TRACE_BRANCHES))
            flags_clear(TRACE_BRANCHES);
    }
    struct def_site def = {.file = text_of(unit->texts + site->file),
                           .function = text_of(unit->texts + site->function),
                           .name = text_of(unit->texts + site->name),
                           .line = site->line,
                           .column = site->column,
                           .statement = site->statement,
                           .unit = unit->number - 1,
                           .ordinal = site->ordinal,
                           .is_volatile = site->flags & HEDDLE_SITE_VOLATILE,
                           .depends_count = site->depends_count};
    trace_put_site(&rt.trace, &def, unit->depends + site->depends);
    site->id = ++rt.site_count;
    return site->id - 1;
}

static void pause_mark(struct thr *t)
{
    rt.pause_told = true;
    trace_put_event(&rt.trace, &(struct ev){.kind = EV_MARK,
                                            .thr = t->id,
                                            .word = WORD_VALUE(MARK, PAUSE),
                                            .site = record_site_slow(NULL)});
}

void record_event(struct thr *t, struct ev *e, struct __heddle_site *site)
{
    if (UNLIKELY(rt.set.policy->event != NULL))
        rt.set.policy->event(t, e->kind, site);
    if (UNLIKELY(!rt.accesses) && !rt.pause_told)
        pause_mark(t);
    e->thr = t->id;
    e->site = record_site(site);
    trace_put_event(&rt.trace, e);
}

/* The same bytes as above for the three most frequent of them, whose fields are A, F and for
 * two of them N, without going through the letters one by one. */
void record_lock(struct thr *t, unsigned kind, uint64_t addr, unsigned flags, uint32_t number,
                 struct __heddle_site *site)
{
    struct trace_writer *w = &rt.trace;
    if (UNLIKELY(rt.set.policy->event != NULL))
        rt.set.policy->event(t, kind, site);
    if (UNLIKELY(!rt.accesses) && !rt.pause_told)
        pause_mark(t);
    uint32_t id = record_site(site);
    if (!trace_put_thread(w, t->id) || !trace_room(w, EVENT_MAX_BYTES))
        return;
    uint8_t *p = fmt_put_site(&w->guess, w->at + 1, id);
    uint64_t *last = &w->guess.addr[id & (GUESS_COUNT - 1)];
    p = fmt_put_varint(p, fmt_zigzag((int64_t)(addr - *last)));
    *last = addr;
    *p++ = (uint8_t)flags;
    if (kind != EV_REQUEST)
        p = fmt_put_varint(p, number);
    w->event_count++;
    trace_commit(w, p, (uint8_t)kind);
}

/* What t does next was caused by a thread that has done something behind this event. */
void record_cause(struct thr *t, uint64_t event, struct __heddle_site *site)
{
    record_event(t, &(struct ev){.kind = EV_HEAR, .addr = CAUSE_ADDRESS, .ref = event}, site);
}

/* What is there was written by nobody who is recorded. */
void record_external(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site)
{
    record_event(
        t,
        &(struct ev){.kind = EV_EXTERNAL_WRITE,
                     .addr = addr,
                     .len = len,
                     .value = block_sum((const uint8_t *)(uintptr_t)addr, (uint32_t)len)},
        site);
}

void record_thread(const struct thr *t, const char *name)
{
    if (!rt.recording)
        return;
    struct def_thread def = {.parent = t->parent, .name = text_of(name ? name : "")};
    CHECK((t->parent == NO_ID) == (t->id == 0));
    if (t->parent != NO_ID)
        def.spawn = rt.threads[t->parent].spawned;
    CHECK(def.spawn == t->spawn);
    trace_put_thread_def(&rt.trace, &def);
}

/* Texts that the writer compares with lie in an object that goes away. */
void record_forget_texts(void)
{
    repeat_break();
    rt.trace.guess.def_file = rt.trace.guess.def_function = (struct def_text){"\1", 1};
}

/* ---- schedule ------------------------------------------------------------------------ */

static void put_choice(uint64_t step, uint32_t next, uint16_t why)
{
    struct run_file *f = &rt.schedule_file;
    if (!run_file_room(f, sizeof(struct choice)))
        return;
    struct choice *c = (struct choice *)(void *)(f->at + (f->used - f->offset));
    c->step = step;
    c->thr = next;
    c->why = why;
    __asm__ volatile("" ::: "memory");
    c->mark = LOG_MARK;
    f->used += sizeof *c;
}

void record_choice(uint64_t step, thr_id next, uint16_t why)
{
    CHECK(next < rt.thread_count && why < WORD_COUNT);
    rt.choice_count++;
    put_choice(step, next, why);
}

/* The thread that runs takes this one of so many things. */
void record_weak(const struct thr *t, uint32_t number, uint32_t count)
{
    CHECK(number < count && count <= UINT8_MAX && t->id <= UINT16_MAX);
    struct weak_choice w = {(uint16_t)t->id, (uint8_t)number, (uint8_t)count};
    put_choice(t->step, weak_pack(w), WORD_VALUE(SWITCH, WEAK));
}

void record_weak_mode(void)
{
    put_choice(weak_mode_step((enum weak_mode)rt.set.weak, rt.set.history), 0,
               WORD_VALUE(SWITCH, WEAK));
}

/* At once: the run may not come to its end. */
void record_flag(uint32_t flag)
{
    if (!rt.recording || rt.trace_flags & flag)
        return;
    rt.trace_flags |= flag;
    sys_call(SYS_pwrite64, rt.trace_file.fd, (long)&rt.trace_flags, sizeof rt.trace_flags,
             offsetof(struct trace_head, flags), 0, 0);
}

/* In an exact replay it comes from the log: that has its own count of choices. */
void record_arrival(uint64_t step, uint32_t connection)
{
    put_choice(step, connection, WORD_VALUE(SWITCH, ARRIVED));
}

/* ---- start and end ------------------------------------------------------------------- */

static long start_schedule(void)
{
    struct log_head head = {LOG_MAGIC, TRACE_VERSION, LOG_SCHEDULE};
    return run_file_create(&rt.schedule_file, "schedule", &head, sizeof head, WINDOW_SCHEDULE,
                           SCHEDULE_WINDOW_BYTES);
}

static long start_trace(void)
{
    rt.trace_flags =
        TRACE_BRANCHES | (rt.set.values ? (uint32_t)TRACE_VALUES : (uint32_t)TRACE_HASHED);
    struct trace_head head = {.magic = TRACE_MAGIC,
                              .version = TRACE_VERSION,
                              .flags = rt.trace_flags,
                              .block_bytes = BLOCK_BYTES};
    struct run_file *f = &rt.trace_file;
    long e = run_file_create(f, "trace", &head, sizeof head, WINDOW_TRACE, TRACE_WINDOW_BYTES);
    if (e == 0)
        e = file_claim(f, 0, BLOCK_BYTES);
    if (e < 0)
        return e;
    rt.trace.turn = trace_turn;
    block_open(&rt.trace, f->at, f->at + sizeof head);
    rt.recording = rt.accesses = true;
    return 0;
}

/* Known beforehand: whoever asks for more gets a signal, and that is the target's. */
static void find_limit(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    sys_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0);
    rt.file_max = limit.rlim_cur;
    if (rt.file_max < CLAIM_BYTES)
        record_failed("trace", -EFBIG);
}

void record_start(void)
{
    rt.trace_file.fd = rt.schedule_file.fd = rt.shared_file.fd = -1;
    if (!rt.set.dir[0])
        return;
    find_limit();
    long e = start_schedule();
    if (e < 0)
        record_failed("schedule", e);
    if (rt.set.record && (e = start_trace()) < 0)
        record_failed("trace", e);
}

void record_end(void)
{
    struct trace_writer *w = &rt.trace;
    if (rt.recording && !w->failed) {
        block_close(w, block_start());
        CHECK(w->at >= w->block && w->block >= rt.trace_file.at);
        rt.trace_file.used = rt.trace_file.offset + (uint64_t)(w->at - rt.trace_file.at);
        uint32_t flags = rt.trace_flags | TRACE_CLOSED;
        sys_pwrite(rt.trace_file.fd, &w->event_count, sizeof w->event_count,
                   offsetof(struct trace_head, event_count));
        put_full_bytes(rt.trace_file.used + rt.repeat.skipped + repeat_skips());
        sys_pwrite(rt.trace_file.fd, &flags, sizeof flags, offsetof(struct trace_head, flags));
    }
    rt.recording = false;
    file_finish(&rt.trace_file);
    file_finish(&rt.schedule_file);
    file_finish(&rt.shared_file);
}

/* In a forked child: the files are the parent's. */
void record_off(void)
{
    rt.recording = false;
    if (rt.trace_file.fd >= 0)
        sys_unmap(rt.trace_file.at, rt.trace_file.window_bytes);
    if (rt.schedule_file.fd >= 0)
        sys_unmap(rt.schedule_file.at, rt.schedule_file.window_bytes);
    if (rt.shared_file.fd >= 0)
        sys_unmap(rt.shared_file.at, rt.shared_file.window_bytes);
    rt.trace_file.fd = rt.schedule_file.fd = rt.shared_file.fd = -1;
}
