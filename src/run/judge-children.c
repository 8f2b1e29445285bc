/* SPDX-License-Identifier: Apache-2.0
 *
 * judge-children: a program that ends well although one of its forked children did not. If the
 * parent asked how the child ended, it is for it to say what that means (a test of a crash
 * expects one): the run is told to have ended well, and with whose failure, so that two runs
 * can be compared. If it did not, the child's failure is the run's. */
#include "run/parts.h"

#include <string.h>
#include <unistd.h>

static bool is_call(const struct log_entry *e, const char *name)
{
    return e->head.tag == TAG_CALL && e->head.bytes > strlen(name) &&
           strcmp((const char *)e->data, name) == 0;
}

static bool is_fork(const struct log_entry *e)
{
    return is_call(e, "fork") || is_call(e, "vfork") || is_call(e, "_Fork");
}

/* The process id of the number-th child, as the parent got it; 0: it does not say. */
static int64_t find_pid(const struct runfile *f, uint32_t number)
{
    uint32_t first = 0, forks = 0;
    for (uint32_t i = 0; i < f->entries.len; i++)
        if (is_fork(&f->entries.at[i]) && f->entries.at[i].head.result == 0)
            first = i + 1; /* before that it was its own parent */
    for (uint32_t i = first; i < f->entries.len; i++)
        if (is_fork(&f->entries.at[i]) && f->entries.at[i].head.result > 0 && ++forks == number)
            return f->entries.at[i].head.result;
    return 0;
}

/* Did the call fill in what its caller wanted to know first? */
static bool fills(const struct log_entry *e)
{
    size_t name = strlen((const char *)e->data) + 1;
    uint32_t len = 0;
    if (e->head.bytes < name + sizeof len)
        return false;
    memcpy(&len, e->data + name, sizeof len);
    return len > 0;
}

static bool is_heard(const char *parent, uint32_t number)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err ignored;
    bool heard = false;
    str_add(&path, "%s/input", parent);
    if (runfile_open(&f, path.at, &ignored) < 0)
        return false;
    int64_t pid = find_pid(&f, number);
    for (uint32_t i = 0; pid > 0 && i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        heard |= is_call(e, "wait4") && e->head.result == pid && fills(e);
        heard |= is_call(e, "waitid") && e->head.result == 0 && fills(e);
    }
    runfile_close(&f);
    return heard;
}

static bool is_failure(const struct run_result *r)
{
    return r->outcome != WORD_VALUE(OUTCOME, EXIT) && run_judges_program(r) &&
           r->outcome != WORD_VALUE(OUTCOME, CUT);
}

/* The worst of the children below. */
static void find_worst(struct run_result *worst, const char *run, const char *parent)
{
    AUTO(str) struct str path = {0};
    for (uint32_t n = 1; n < UINT32_MAX; n++) {
        struct run_result r = {0};
        path.len = 0;
        str_add(&path, "%s/child-%u", parent, n);
        if (access(path.at, F_OK) < 0)
            return;
        bool failed = read_outcome(&r, path.at) && is_failure(&r);
        r.heard = failed && is_heard(parent, n);
        if (failed && (worst->child.len == 0 || (worst->heard && !r.heard) ||
                       (worst->heard == r.heard && r.outcome > worst->outcome))) {
            str_add(&r.child, "%s", path.at + strlen(run) + 1);
            struct run_result old = *worst;
            *worst = r;
            r = old;
        }
        run_result_done(&r);
        find_worst(worst, run, path.at);
    }
}

void judge_children(struct run_result *r, const char *directory)
{
    struct run_result worst = {0};
    find_worst(&worst, directory, directory);
    if (worst.child.len > 0) {
        struct run_result old = *r;
        *r = worst;
        worst = old;
        for (uint32_t i = 0; i < old.doubts.len; i++)
            run_doubt(&r->doubts, old.doubts.at[i].why, old.doubts.at[i].detail.at);
        str_add(&r->text, "in the child process %s\n", r->child.at);
    }
    run_result_done(&worst);
}

void run_failed_at(struct str *out, const char *directory, const struct run_result *r)
{
    out->len = 0;
    str_add(out, "%s%s%s", directory, r->child.len ? "/" : "", r->child.len ? r->child.at : "");
}
