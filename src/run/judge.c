/* SPDX-License-Identifier: Apache-2.0
 *
 * judge: what a run's outcome is. The runtime says it if it can; the exit status tells the
 * rest; the user's check of the output may overrule a good end. */
#include "run/parts.h"

#include "base/same-lines.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void run_doubt(run_doubts *all, enum doubt why, const char *detail)
{
    struct run_doubt doubt = {.why = why};
    CHECK(why < DOUBT_COUNT);
    str_add(&doubt.detail, "%s", detail ? detail : "");
    vec_push(all, doubt);
}

void run_doubts_done(run_doubts *all)
{
    for (uint32_t i = 0; i < all->len; i++)
        str_done(&all->at[i].detail);
    vec_done(all);
}

const struct run_doubt *run_has_doubt(const struct run_result *r, enum doubt why)
{
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (r->doubts.at[i].why == why)
            return &r->doubts.at[i];
    return NULL;
}

const struct run_doubt *run_unjudged(const struct run_result *r)
{
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (doubt_forbids(r->doubts.at[i].why, run_ended_well(r)))
            return &r->doubts.at[i];
    return NULL;
}

void run_doubt_say(struct str *out, const struct run_doubt *doubt)
{
    str_add(out, "%s%s%s", doubt->detail.at, doubt->detail.len ? ": " : "",
            doubt_sentence(doubt->why));
}

bool run_rests_on(struct str *out, const struct run_result *r)
{
    bool is_long = false;
    for (uint32_t i = 0; i < r->doubts.len; i++) {
        const struct run_doubt *d = &r->doubts.at[i];
        const char *and = out->len ? ", and " : "";
        if (d->why == DOUBT_TIME)
            str_add(out, "%sonly if %s runs out", and, d->detail.at);
        else if (d->why == DOUBT_SLEEP)
            str_add(out, "%sonly %s hides it", and, d->detail.at);
        is_long |= d->why == DOUBT_TIME;
    }
    return is_long;
}

static void read_doubt(struct run_result *r, const struct log_entry *e)
{
    AUTO(str) struct str detail = {0};
    str_bytes(&detail, (const char *)e->data, e->head.bytes);
    str_char(&detail, 0);
    run_doubt(&r->doubts, (enum doubt)e->head.ordinal, detail.at);
}

static void add_lines(struct str *out, const char *lines, size_t len)
{
    str_bytes(out, lines, len);
    if (len && out->at[out->len - 1] != '\n')
        str_char(out, '\n');
}

/* Everything in words: its first line, who waits for what, the rest of what the runtime said,
 * and the stacks. */
static void add_text(struct run_result *r, const struct runfile *f)
{
    for (uint32_t i = 0; i < f->entries.len; i++) {
        const struct log_entry *e = &f->entries.at[i];
        const char *said = (const char *)e->data;
        size_t len = e->head.bytes, first = len;
        if (e->head.tag == TAG_OUTCOME) {
            const char *nl = len ? memchr(said, '\n', len) : NULL;
            first = nl ? (size_t)(nl - said) + 1 : len;
            add_lines(&r->text, said, first);
            run_waits_say(&r->text, r);
            add_lines(&r->text, said + first, len - first);
        } else if (e->head.tag == TAG_STACK) {
            str_add(&r->text, "T%u ", e->head.thr);
            add_lines(&r->text, said, len);
        }
    }
}

bool read_outcome(struct run_result *r, const char *directory)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err err;
    bool found = false;
    str_add(&path, "%s/outcome", directory);
    if (runfile_open(&f, path.at, &err) < 0)
        return false;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        if (e->head.tag == TAG_OUTCOME && !found) {
            r->outcome = (uint8_t)e->head.ordinal;
            r->code = (int)e->head.result;
            r->steps = e->head.error > 0 ? (uint64_t)e->head.error * 1000 : 0;
            found = true;
        }
        if (e->head.tag == TAG_DOUBT)
            read_doubt(r, e);
        if (e->head.tag == TAG_WAIT || e->head.tag == TAG_HOLDER)
            waiting_read(r, e);
    }
    add_text(r, &f);
    runfile_close(&f);
    return found;
}

static void add_doubts(struct runfile_out *out, const run_doubts *doubts, uint32_t first)
{
    for (uint32_t i = first; i < doubts->len; i++) {
        const struct str *detail = &doubts->at[i].detail;
        struct log_record head = {
            .tag = TAG_DOUBT, .ordinal = doubts->at[i].why, .bytes = detail->len};
        runfile_add(out, head, detail->at);
    }
}

static int write_outcome(const struct run_result *r, const char *directory, struct err *err)
{
    struct runfile_out o = {0};
    runfile_begin(&o, LOG_OUTCOME);
    runfile_add(
        &o,
        (struct log_record){
            .tag = TAG_OUTCOME, .ordinal = r->outcome, .result = r->code, .bytes = r->text.len},
        r->text.at);
    add_doubts(&o, &r->doubts, 0);
    return write_runfile(&o, directory, "outcome", err);
}

bool run_ended_well(const struct run_result *r)
{
    return r->heard || (r->outcome == WORD_VALUE(OUTCOME, EXIT) && r->code == 0);
}

/* The target wrote no outcome: its exit status tells what there is to tell. */
static void judge_status(struct run_result *r, const struct run_live *live)
{
    int status = live->status;
    if (live->is_large) {
        r->outcome = WORD_VALUE(OUTCOME, CUT);
        str_add(&r->text, "cut: it used more memory than it may\n");
    } else if (live->signal) {
        r->outcome = WORD_VALUE(OUTCOME, CUT);
        r->code = live->signal;
        str_add(&r->text, "cut: stopped from outside by SIG%s\n", sigabbrev_np(r->code));
    } else if (live->late) {
        r->outcome = WORD_VALUE(OUTCOME, HANG);
        str_add(&r->text, "hang: the time limit struck\n");
    } else if (WIFSIGNALED(status)) {
        r->outcome = WORD_VALUE(OUTCOME, CRASH);
        r->code = WTERMSIG(status);
        str_add(&r->text, "crash: signal %d (%s)\n", r->code, strsignal(r->code));
    } else {
        r->outcome = WORD_VALUE(OUTCOME, EXIT);
        r->code = WEXITSTATUS(status);
        str_add(&r->text, "exit %d\n", r->code);
    }
}

/* The user's check: the printed text on its stdin. 0 = content. */
static int oracle_says(const struct run_live *live, int code, struct err *err)
{
    const struct str *printed = &live->printed;
    int in[2];
    if (pipe2(in, O_CLOEXEC) < 0)
        return err_sys(err, "oracle");
    pid_t pid = run_world_fork(live->opts.in, err);
    if (pid == 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", code);
        setenv("HEDDLE_EXIT", text, 1);
        unsetenv("HEDDLE_RT");
        dup2(in[0], STDIN_FILENO);
        if (live->opts.in || !live->opts.directory || chdir(live->opts.directory) == 0)
            execl("/bin/sh", "sh", "-c", live->opts.oracle, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    if (pid < 0) {
        close(in[1]);
        return err_in(err, "oracle");
    }
    void (*old)(int) = signal(SIGPIPE, SIG_IGN); /* it need not read everything */
    for (size_t done = 0; done < printed->len;) {
        ssize_t n = write(in[1], printed->at + done, printed->len - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    signal(SIGPIPE, old);
    close(in[1]);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool is_expected(const struct bytes *want, const struct run_live *t)
{
    const struct text a = {(const char *)want->at, (uint32_t)want->len},
                      b = {t->printed.at, (uint32_t)t->printed.len};
    return t->opts.expect_lines ? lines_same(a, b, NULL) : text_is(a, b);
}

static int judge_output(struct run_result *r, const struct run_live *t, struct err *err)
{
    const struct run_opts *o = &t->opts;
    bool bad = false;
    if (o->expect) {
        AUTO(bytes) struct bytes want = {0};
        if (bytes_read(&want, o->expect, err) < 0)
            return -1;
        bad = !is_expected(&want, t);
    }
    if (!bad && o->oracle) {
        int said = oracle_says(t, r->code, err);
        if (said < 0)
            return -1;
        bad = said != 0;
    }
    if (!bad)
        return 0;
    r->outcome = WORD_VALUE(OUTCOME, ORACLE);
    r->text.len = 0;
    str_add(&r->text, "oracle: %s\n",
            o->oracle ? "the check said no" : "the output is not the expected one");
    return 1;
}

/* What this side doubts is put behind what the runtime wrote. */
static int append_doubts(const struct run_result *r, uint32_t first, const char *directory,
                         struct err *err)
{
    AUTO(str) struct str path = {0};
    struct runfile_out o = {0};
    if (r->doubts.len == first)
        return 0;
    str_add(&path, "%s/outcome", directory);
    add_doubts(&o, &r->doubts, first);
    AUTO(fd) int fd = open(path.at, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool is_written = fd >= 0 && write(fd, o.bytes.at, o.bytes.len) == (ssize_t)o.bytes.len;
    str_done(&o.bytes);
    return is_written ? 0 : err_sys(err, "%s", path.at);
}

/* The child that the run is about came to its end, and the program did not like it. */
static bool ends_badly(const struct run_result *child, int status)
{
    return child->outcome == WORD_VALUE(OUTCOME, EXIT) && status != 0 &&
           !(WIFEXITED(status) && WEXITSTATUS(status) == CODE_UNRECORDED);
}

/* Whoever ended it when it was recorded is played, too. */
static bool judge_played(struct run_result *out, const struct run_opts *o)
{
    bool is_played = o->peers && !o->world && !o->client;
    if (!is_played || !run_was_asked_to_end(out))
        return false;
    const char *name = sigabbrev_np(out->code);
    out->outcome = WORD_VALUE(OUTCOME, EXIT);
    out->code = 0;
    out->text.len = 0;
    str_add(&out->text, "exit 0: ended by SIG%s from outside, as in the record\n", name);
    return true;
}

int run_judge(struct run_result *out, const struct run_live *r, struct err *err)
{
    bool own = read_outcome(out, r->directory.at);
    uint32_t said = out->doubts.len; /* by the runtime */
    out->is_late = r->late;
    for (uint32_t i = 0; i < r->doubts.len; i++)
        run_doubt(&out->doubts, r->doubts.at[i].why, r->doubts.at[i].detail.at);
    if (own && out->outcome == WORD_VALUE(OUTCOME, EXIT) && WIFSIGNALED(r->status)) {
        own = false; /* it said that it would, and did not come to it */
        out->text.len = 0;
    }
    if (own && r->opts.judges_all && ends_badly(out, r->status)) {
        own = false;
        out->text.len = 0;
    }
    if (!own)
        judge_status(out, r);
    int changed = judge_played(out, &r->opts), overruled = 0;
    if (!changed)
        changed = client_judge(out, r, err);
    if (changed == 0 && out->outcome == WORD_VALUE(OUTCOME, EXIT))
        overruled = judge_output(out, r, err);
    else if (changed > 0 && run_ended_well(out))
        overruled = judge_output(out, r, err);
    if (changed < 0 || overruled < 0)
        return -1;
    if (r->opts.alone && !r->opts.world && !run_ended_well(out) && !run_unjudged(out))
        run_doubt(&out->doubts, DOUBT_INPUT_MISSING, NULL);
    int failed = own && !overruled && !changed ? append_doubts(out, said, r->directory.at, err)
                                               : write_outcome(out, r->directory.at, err);
    if (!failed && run_ended_well(out) && !r->opts.process && !r->opts.family)
        judge_children(out, r->directory.at);
    return failed;
}

bool run_printed_on(struct str *out, const char *directory, uint32_t descriptor)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err ignored;
    str_add(&path, "%s/output", directory);
    if (runfile_open(&f, path.at, &ignored) < 0)
        return false;
    for (uint32_t i = 0; i < f.entries.len; i++)
        if (f.entries.at[i].head.tag == TAG_PRINTED &&
            f.entries.at[i].head.ordinal == descriptor)
            str_bytes(out, (const char *)f.entries.at[i].data, f.entries.at[i].head.bytes);
    runfile_close(&f);
    return true;
}

bool run_printed(struct str *out, const char *directory)
{
    return run_printed_on(out, directory, STDOUT_FILENO);
}

int run_exit_code(const struct run_result *r)
{
    if (r->heard)
        return 0;
    switch (r->outcome + OUTCOME_FIRST) {
    case OUTCOME_EXIT:
        return r->code;
    case OUTCOME_CRASH:
    case OUTCOME_CUT:
        return 128 + r->code;
    case OUTCOME_ASSERT:
        return 128 + SIGABRT;
    case OUTCOME_SANITIZER:
        return r->code ? r->code : 1;
    case OUTCOME_DIVERGED:
        return 3;
    case OUTCOME_UNSUPPORTED:
        return 4;
    default:
        return 1;
    }
}

bool run_judges_program(const struct run_result *r)
{
    return r->outcome != WORD_VALUE(OUTCOME, DIVERGED) &&
           r->outcome != WORD_VALUE(OUTCOME, UNSUPPORTED) && !run_unjudged(r);
}

bool run_was_asked_to_end(const struct run_result *r)
{
    return r->outcome == WORD_VALUE(OUTCOME, CRASH) &&
           (r->code == SIGTERM || r->code == SIGINT || r->code == SIGHUP);
}

bool run_spins_unseen(const struct run_result *r)
{
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (r->doubts.at[i].why == DOUBT_SPIN_UNMODELLED)
            return true;
    return false;
}

bool run_is_own_alarm(const struct run_result *r)
{
    return r->outcome == WORD_VALUE(OUTCOME, CRASH) &&
           (r->code == SIGALRM || r->code == SIGVTALRM || r->code == SIGPROF);
}

bool run_failed(const struct run_result *r)
{
    return run_judges_program(r) && !run_ended_well(r);
}

/* "assert bank.c:40" from "assert: bank.c:40: move: Assertion ...": file and line. */
static void add_place(struct str *out, const struct run_result *r)
{
    const char *text = r->text.at ? r->text.at : "";
    if (strncmp(text, "assert: ", 8) == 0)
        text += 8;
    const char *end = strchr(text, ':');
    while (end && end[1] >= '0' && end[1] <= '9')
        end += 1 + strspn(end + 1, "0123456789");
    if (end && end - text < 200)
        str_add(out, " %.*s", (int)(end - text), text);
}

void run_kind(struct str *out, const struct run_result *r)
{
    const struct run_doubt *doubt = run_unjudged(r);
    if (doubt && !run_ended_well(r)) {
        str_add(out, "undecided %s", doubt_word(doubt->why));
        return;
    }
    str_add(out, "%s%s", r->child.len ? "child " : "", word_text(OUTCOME_FIRST, r->outcome));
    const char *name = sigabbrev_np(r->code);
    switch (r->outcome + OUTCOME_FIRST) {
    case OUTCOME_EXIT:
        str_add(out, " %d", r->code);
        break;
    case OUTCOME_CRASH:
        str_add(out, " SIG%s", name ? name : "?");
        break;
    case OUTCOME_ASSERT:
        add_place(out, r);
        break;
    default:
        break;
    }
}

struct text run_assertion(const struct run_result *r)
{
    const char *text = r->text.at ? r->text.at : "", *said = strstr(text, ": Assertion ");
    if (r->outcome != WORD_VALUE(OUTCOME, ASSERT) || !said)
        return (struct text){0};
    return (struct text){said, (uint32_t)strcspn(said, "\n")};
}

/* It was ended by somebody else before anything was wrong. */
static bool was_good(const struct run_result *r)
{
    return run_ended_well(r) || r->outcome == WORD_VALUE(OUTCOME, CUT);
}

bool run_is_worse(const struct run_result *r, const struct run_result *than)
{
    if (!run_judges_program(r) || !run_judges_program(than))
        return run_judges_program(r) && !run_ended_well(r);
    if (r->heard && run_ended_well(than)) {
        AUTO(str) struct str kind = {0}, usual = {0};
        run_kind(&kind, r);
        run_kind(&usual, than);
        return strcmp(kind.at, usual.at) != 0;
    }
    if (was_good(r) || was_good(than))
        return was_good(than) && !was_good(r);
    return r->outcome > than->outcome;
}
