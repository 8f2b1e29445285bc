/* SPDX-License-Identifier: Apache-2.0
 *
 * unit: one unit, done. A process of its own does the work in a scratch directory on this
 * host; what it left there becomes one file, under its name once it is complete. Whoever is
 * killed leaves nothing but the scratch directory, which the next try on this host removes. */
#include "campaign/campaign-parts.h"

#include "base/self.h"
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SAID_MAX = 4000, /* bytes of what a failing command said */
    POLL_MAX_NS = 50000000,
};

struct job {
    const struct campaign *c;
    struct campaign_unit u;
    const struct campaign_test *test; /* NULL: of none */
    struct arena mem;
    const char *scratch; /* from the root */
    int lock;            /* of it, as long as we live; -1: none */
    const char *home;    /* PROGRAM.heddle in there; NULL: the command makes none */
    campaign_words argv; /* of the command; empty: none, the work is done here */
    struct result result;
};

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static const char *keep(struct job *j, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *keep(struct job *j, const char *format, ...)
{
    va_list ap;
    char *text;
    va_start(ap, format);
    int len = vasprintf(&text, format, ap);
    va_end(ap);
    if (len < 0)
        mem_fail(0);
    const char *kept = arena_text(&j->mem, text, (size_t)len);
    free(text);
    return kept;
}

/* ---- scratch ---------------------------------------------------------------------------- */

/* Those of this campaign that nobody has locked any more: their process was killed. */
static void remove_stale(const char *place, const char *prefix)
{
    DIR *d = opendir(place);
    struct dirent *entry;
    while (d && (entry = readdir(d))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        AUTO(str) struct str path = {0};
        str_add(&path, "%s/%s", place, entry->d_name);
        AUTO(fd) int fd = open(path.at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            run_remove_tree(path.at);
    }
    if (d)
        closedir(d);
}

/* It has another name until it is locked. Its name is as long for every unit: the target's
 * variables hold it. */
static int lock_scratch(struct job *j, const char *begins, struct err *err)
{
    if (run_make_directory(begins, err) < 0)
        return -1;
    j->lock = open(begins, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (j->lock < 0 || flock(j->lock, LOCK_EX | LOCK_NB) < 0 || rename(begins, j->scratch) < 0)
        return err_sys(err, "%s", begins);
    return 0;
}

/* The files of thousands of short runs, which nobody keeps, should not go to a disk. */
static const char *place_of(const struct campaign_unit *u)
{
    static const char memory[] = "/dev/shm";
    const char *place = getenv("TMPDIR");
    if (u->kind == UNIT_EXPLORE && access(memory, W_OK) == 0)
        return memory;
    return place && *place ? place : "/tmp";
}

static int make_scratch(struct job *j, struct err *err)
{
    const char *place = place_of(&j->u);
    char directory[PATH_MAX], absolute[PATH_MAX];
    if (!realpath(place, absolute) || !realpath(j->c->directory, directory))
        return err_sys(err, "%s", place);
    unsigned hash = (unsigned)(hash_bytes(directory, strlen(directory)) & 0xffffffff);
    const char *prefix = keep(j, "heddle-unit-%08x-", hash);
    const char *rest = keep(j, "%012llu-%07d", (unsigned long long)j->u.number, (int)getpid());
    remove_stale(absolute, prefix);
    j->scratch = keep(j, "%s/%s%s", absolute, prefix, rest);
    return lock_scratch(j, keep(j, "%s/heddle-new-%08x-%s", absolute, hash, rest), err);
}

/* ---- commands --------------------------------------------------------------------------- */

static void add(struct job *j, const char *word)
{
    vec_push(&j->argv, word);
}

static void add_number(struct job *j, const char *option, uint64_t n)
{
    add(j, option);
    add(j, keep(j, "%llu", (unsigned long long)n));
}

static void add_program(struct job *j)
{
    add(j, "--");
    for (uint32_t i = 0; i < j->test->argv.len; i++)
        add(j, j->test->argv.at[i]);
}

/* The run that is recorded is that of a unit of the kind record. */
static void command_check(struct job *j, const struct campaign_unit *record)
{
    add(j, "check");
    add(j, "--json");
    add(j, "--no-explore");
    add_number(j, "--jobs", 1);
    add_number(j, "--time", j->c->plan.check_s);
    if (*record->policy) {
        add(j, "--policy");
        add(j, record->policy);
    }
    add_number(j, "--seed", record->seed);
    if (j->c->plan.timeout_s > 0)
        add_number(j, "--timeout", j->c->plan.timeout_s);
    if (*j->test->input) {
        add(j, "--input");
        add(j, j->test->input);
    }
}

static void set_home(struct job *j)
{
    j->home = keep(j, "%s/%s.heddle", j->scratch, base_name(j->test->argv.at[0]));
}

/* What a program of somebody else's starts is looked into at once: a later unit would have to
 * find the same process again. */
static void command_record(struct job *j)
{
    command_check(j, &j->u);
    if (run_is_ours(j->test->argv.at[0]))
        add(j, "--no-confirm");
    else
        vec_push(&j->result.parts, (struct result_part){"settled", TEXT("")});
    add_program(j);
    set_home(j);
}

static bool is_wanted(const struct campaign_unit *u, const char *id)
{
    for (uint32_t i = 0; i < u->ids.len; i++)
        if (strcmp(u->ids.at[i], id) == 0)
            return true;
    return false;
}

/* The witness of a result, as a file here. */
static int unpack_witness(struct job *j, const struct result *from, const char **path,
                          struct err *err)
{
    if (!**path)
        return 0;
    const struct text *data = result_part(from, keep(j, "witness %s", base_name(*path)));
    if (!data)
        return err_set(err, "unit %llu has no witness %s", (unsigned long long)from->unit,
                       *path);
    *path = keep(j, "%s/%s", j->scratch, base_name(*path));
    return file_write(*path, data->at, data->len, err);
}

/* Those that are wanted, with witnesses that are here. */
static int write_known(struct job *j, struct finding_list *l, const struct result *from,
                       const char *path, struct err *err)
{
    AUTO(str) struct str text = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        struct finding *f = &l->findings.at[i];
        if (!is_wanted(&j->u, f->id)) {
            finding_done(f);
            continue;
        }
        if (unpack_witness(j, from, &f->witness, err) < 0 ||
            unpack_witness(j, from, &f->second, err) < 0)
            return -1;
        l->findings.at[kept++] = *f;
    }
    l->findings.len = kept;
    finding_list_print(l, &text);
    return file_write(path, text.at, text.len, err);
}

static int command_confirm(struct job *j, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(result) struct result from = {0};
    AUTO(finding_list) struct finding_list l = {0};
    struct campaign_unit record;
    const char *known = keep(j, "%s/known.json", j->scratch);
    file_of_unit(&path, j->c->directory, "results", j->u.from);
    int found = result_read(&from, path.at, err);
    const struct text *text = found == 0 ? result_part(&from, "findings") : NULL;
    if (found < 0 || unit_find(j->c, j->u.from, &record, &j->mem, err) < 0)
        return -1;
    if (!text)
        return err_set(err, "%s: has no findings", path.at);
    if (finding_list_parse(&l, *text, err) < 0 || write_known(j, &l, &from, known, err) < 0)
        return err_in(err, "%s", path.at);
    command_check(j, &record);
    add(j, "--known");
    add(j, known);
    add_program(j);
    set_home(j);
    return 0;
}

static void command_predict(struct job *j)
{
    add(j, "predict");
    add_number(j, "--jobs", 1);
    if (j->c->plan.memory_mb > 0)
        add_number(j, "--memory", j->c->plan.memory_mb);
    add(j, "--part");
    add(j, keep(j, "%llu/%llu", (unsigned long long)j->u.part, (unsigned long long)j->u.parts));
    add(j, "--witness-dir");
    add(j, "witnesses"); /* in the scratch directory, where it works */
    add(j, j->test->argv.at[0]);
}

static void command_verify(struct job *j)
{
    add(j, "verify");
    add(j, "--json");
    add_number(j, "--jobs", 1);
    add(j, j->u.patch);
    add_program(j);
}

static void command_mutants(struct job *j)
{
    add(j, "selftest");
    if (j->u.runs > 0)
        add_number(j, "--runs", j->u.runs);
    add(j, j->c->plan.mutants.at[j->u.test]);
}

static int make_command(struct job *j, struct err *err)
{
    AUTO(str) struct str self = {0};
    if (j->u.kind == UNIT_EXPLORE)
        return 0;
    self_path(&self);
    add(j, keep(j, "%s", self.at));
    switch (j->u.kind) {
    case UNIT_RECORD:
        command_record(j);
        break;
    case UNIT_CONFIRM:
        return command_confirm(j, err);
    case UNIT_PREDICT:
        command_predict(j);
        break;
    case UNIT_VERIFY:
        command_verify(j);
        break;
    case UNIT_MUTANTS:
        command_mutants(j);
        break;
    default:
        CHECK(false);
    }
    return 0;
}

/* ---- the process ------------------------------------------------------------------------ */

static bool reopen(int fd, const char *path, int flags)
{
    int opened = open(path, flags | O_CLOEXEC, 0666);
    return opened >= 0 && dup2(opened, fd) == fd;
}

static bool set_variables(const struct campaign_test *t)
{
    for (uint32_t i = 0; t && i < t->set.len; i++)
        if (putenv((char *)(uintptr_t)t->set.at[i]) != 0)
            return false;
    return true;
}

static int do_here(const struct job *j)
{
    AUTO(str) struct str text = {0};
    struct err err;
    run_catch_signals();
    if (seeds_run(&j->u, j->test, j->c->plan.timeout_s, j->scratch, &text, &err) < 0 ||
        file_write(keep((struct job *)(uintptr_t)j, "%s/seeds", j->scratch), text.at, text.len,
                   &err) < 0) {
        fprintf(stderr, "heddle: %s\n", err.text);
        return 4;
    }
    return 0;
}

static _Noreturn void be_child(struct job *j, pid_t parent)
{
    const char *work = j->test && j->u.kind != UNIT_PREDICT ? j->test->directory : j->scratch;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    bool good =
        reopen(STDIN_FILENO, "/dev/null", O_RDONLY) &&
        reopen(STDOUT_FILENO, keep(j, "%s/stdout", j->scratch), O_WRONLY | O_CREAT | O_TRUNC) &&
        reopen(STDERR_FILENO, keep(j, "%s/stderr", j->scratch), O_WRONLY | O_CREAT | O_TRUNC);
    if (!good || !set_variables(j->test) || chdir(work) < 0) {
        fprintf(stderr, "%s: %s\n", work, strerror(errno));
        _exit(127);
    }
    if (j->argv.len == 0)
        _exit(do_here(j));
    setenv("HEDDLE_STORE", j->scratch, 1);
    unsetenv("HEDDLE_OPTIONS");
    vec_push(&j->argv, NULL);
    execv(j->argv.at[0], (char *const *)(uintptr_t)j->argv.at);
    fprintf(stderr, "%s: %s\n", j->argv.at[0], strerror(errno));
    _exit(127);
}

/* Until it ends, or somebody wants us to. */
static int wait_for(pid_t pid, int *status)
{
    struct timespec pause = {.tv_nsec = 200000};
    bool told = false;
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid)
            return 0;
        if (ended < 0 && errno != EINTR)
            return -1;
        if (run_signal() && !told) {
            kill(pid, SIGTERM);
            told = true;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < POLL_MAX_NS)
            pause.tv_nsec += pause.tv_nsec / 4;
    }
}

/* ---- what it left ----------------------------------------------------------------------- */

/* A file of the scratch directory, without that directory's name in it: "" if there is none. */
static struct text take_file(struct job *j, const char *path, uint64_t max)
{
    AUTO(bytes) struct bytes b = {0};
    AUTO(str) struct str out = {0};
    struct err ignored;
    size_t len = strlen(j->scratch) + 1;
    const char *name = keep(j, "%s/", j->scratch);
    if (bytes_read(&b, path, &ignored) < 0)
        return TEXT("");
    const char *at = (const char *)b.at, *end = at + b.len, *hit;
    if (b.len > max)
        at = end - max;
    while ((hit = memmem(at, (size_t)(end - at), name, len))) {
        str_bytes(&out, at, (size_t)(hit - at));
        at = hit + len;
    }
    str_bytes(&out, at, (size_t)(end - at));
    return (struct text){arena_text(&j->mem, out.at ? out.at : "", out.len), (uint32_t)out.len};
}

static struct text take_here(struct job *j, const char *name, uint64_t max)
{
    return take_file(j, keep(j, "%s/%s", j->scratch, name), max);
}

static void put(struct job *j, const char *name, struct text data)
{
    vec_push(&j->result.parts, (struct result_part){name, data});
}

static void put_witness(struct job *j, const char *path)
{
    const char *name = keep(j, "witness %s", base_name(path));
    if (!*path || result_part(&j->result, name))
        return;
    struct text data =
        take_file(j, path[0] == '/' ? path : keep(j, "%s/%s", j->scratch, path), UINT32_MAX);
    if (data.len > 0)
        put(j, name, data);
}

static int put_findings(struct job *j, struct text json, struct err *err)
{
    AUTO(finding_list) struct finding_list l = {0};
    if (finding_list_parse(&l, json, err) < 0)
        return -1;
    put(j, "findings", json);
    for (uint32_t i = 0; i < l.findings.len; i++) {
        put_witness(j, l.findings.at[i].witness);
        put_witness(j, l.findings.at[i].second);
    }
    return 0;
}

/* Part of a search, and the witnesses of what it found. */
static int put_search(struct job *j, struct err *err)
{
    AUTO(search_part) struct search_part s = {0};
    struct text text = take_here(j, "stdout", UINT32_MAX);
    if (j->result.exit != 0)
        return 0;
    if (search_part_parse(&s, text, err) < 0)
        return -1;
    put(j, "search", text);
    for (uint32_t i = 0; i < s.list.findings.len; i++)
        put_witness(j, s.list.findings.at[i].witness);
    return 0;
}

/* What a check found is in its file; the others say it. */
static int collect(struct job *j, struct err *err)
{
    enum unit_kind kind = j->u.kind;
    if (kind == UNIT_EXPLORE) {
        put(j, "seeds", take_here(j, "seeds", UINT32_MAX));
        return 0;
    }
    if (kind == UNIT_PREDICT)
        return put_search(j, err);
    if (kind == UNIT_VERIFY || kind == UNIT_MUTANTS) {
        put(j, "stdout", take_here(j, "stdout", UINT32_MAX));
        return 0;
    }
    struct text json = take_file(j, keep(j, "%s/findings.json", j->home), UINT32_MAX);
    return json.len > 0 ? put_findings(j, json, err) : 0;
}

static int publish(struct job *j, struct err *err)
{
    AUTO(str) struct str text = {0}, path = {0}, host = {0};
    host_name(&host);
    j->result.host = host.at;
    j->result.unit = j->u.number;
    j->result.hash = unit_hash(&j->u);
    result_print(&text, &j->result);
    file_of_unit(&path, j->c->directory, "results", j->u.number);
    return file_publish(path.at, &text, err);
}

/* Exit codes of commands that are an outcome, though it be that the program cannot be run. */
static bool is_outcome(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) <= 4;
}

static enum unit_end end(struct job *j, int status, struct err *err)
{
    struct text said = take_here(j, "stderr", SAID_MAX);
    if (!is_outcome(status)) {
        err_set(err, "%s %d: %.*s", WIFEXITED(status) ? "exit code" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), TEXT_ARG(said));
        return UNIT_FAILED;
    }
    j->result.exit = WEXITSTATUS(status);
    if (j->result.exit == 2 || j->result.exit == 4)
        put(j, "stderr", said);
    if (collect(j, err) < 0 || publish(j, err) < 0)
        return UNIT_FAILED;
    return UNIT_DONE;
}

static enum unit_end run_job(struct job *j, struct err *err)
{
    int status = 0;
    uint64_t start = now_ms();
    if (make_scratch(j, err) < 0 || make_command(j, err) < 0)
        return UNIT_FAILED;
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        be_child(j, self);
    if (pid < 0 || wait_for(pid, &status) < 0) {
        err_sys(err, "cannot start a process");
        return UNIT_FAILED;
    }
    if (run_signal()) {
        err_set(err, "stopped");
        return UNIT_REFUSED;
    }
    j->result.ms = now_ms() - start;
    return end(j, status, err);
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool has_same_result(const struct campaign *c, const struct campaign_unit *u)
{
    AUTO(str) struct str path = {0};
    AUTO(result) struct result r = {0};
    struct err ignored;
    file_of_unit(&path, c->directory, "results", u->number);
    return result_read(&r, path.at, &ignored) == 0 && r.unit == u->number &&
           r.hash == unit_hash(u);
}

/* What it needs of the plan is there. */
static bool is_possible(const struct campaign_plan *p, const struct campaign_unit *u)
{
    return u->test < (u->kind == UNIT_MUTANTS ? p->mutants.len : p->tests.len);
}

static enum unit_end try_it(struct job *j, struct err *err)
{
    const struct campaign *c = j->c;
    const struct campaign_plan *p = &c->plan;
    bool is_of_test = j->u.kind != UNIT_MUTANTS;
    j->test = is_of_test ? &p->tests.at[j->u.test] : NULL;
    if (files_check(p, is_of_test ? j->test->argv.at[0] : "", is_of_test ? j->test->input : "",
                    err) < 0)
        return UNIT_REFUSED;
    enum unit_end result = run_job(j, err);
    if (j->scratch)
        run_remove_tree(j->scratch);
    auto_fd(&j->lock);
    return result;
}

static void tell_failure(const struct campaign *c, uint64_t unit, const struct err *why)
{
    AUTO(str) struct str path = {0}, text = {0};
    struct err ignored;
    file_of_unit(&path, c->directory, "failed", unit);
    str_add(&text, "%s\n", why->text);
    if (file_publish(path.at, &text, &ignored) < 0)
        return; /* whoever reads of it sees that there is no result */
}

enum unit_end campaign_do(const struct campaign *c, uint64_t unit, struct err *err)
{
    struct job j = {.c = c, .lock = -1, .result = {.host = ""}};
    enum unit_end end = UNIT_REFUSED;
    if (unit_find(c, unit, &j.u, &j.mem, err) == 0) {
        if (has_same_result(c, &j.u))
            end = UNIT_DONE;
        else if (!is_possible(&c->plan, &j.u))
            err_set(err, "unit %llu is of nothing in the plan", (unsigned long long)unit);
        else if (campaign_is_stopped(c) || campaign_is_late(c))
            err_set(err, campaign_is_stopped(c) ? "the campaign was stopped"
                                                : "the campaign's time is over");
        else
            end = try_it(&j, err);
        if (end == UNIT_FAILED)
            tell_failure(c, unit, err);
    }
    vec_done(&j.argv);
    vec_done(&j.u.ids);
    vec_done(&j.u.sites);
    vec_done(&j.result.parts);
    arena_done(&j.mem);
    return end;
}

void campaign_failure(const struct campaign *c, uint64_t unit, struct str *out)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    struct err ignored;
    file_of_unit(&path, c->directory, "failed", unit);
    if (bytes_read(&b, path.at, &ignored) == 0) {
        struct text t = text_trim((struct text){(const char *)b.at, (uint32_t)b.len});
        str_bytes(out, t.at, t.len);
    }
}

int campaign_give_up(const struct campaign *c, uint64_t unit, struct err *err)
{
    struct job j = {.c = c, .lock = -1, .result = {.exit = RESULT_LOST}};
    AUTO(str) struct str why = {0};
    if (unit_find(c, unit, &j.u, &j.mem, err) < 0)
        return -1;
    campaign_failure(c, unit, &why);
    put(&j, "stderr", why.at ? str_text(&why) : TEXT("no result, and no reason"));
    int result = publish(&j, err);
    vec_done(&j.u.ids);
    vec_done(&j.u.sites);
    vec_done(&j.result.parts);
    arena_done(&j.mem);
    return result;
}
