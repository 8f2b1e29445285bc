/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-doctor: `heddle doctor [PROGRAM ...]`: can Heddle work here, and what will it not see of
 * a program? */
#include "base/self.h"
#include "base/capture.h"
#include "cmd/cmd.h"
#include "check/check.h"
#include "cmd/options.h"
#include "instr/instr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

enum {
    LITTLE_DISK_MB = 1000,
    REMARKS_MAX = 20, /* of a kind */
};

struct doctor {
    struct str out; /* what will be printed */
    bool is_ill;    /* something necessary is missing */
};

enum health { HEALTH_OK, HEALTH_NOTE, HEALTH_BAD };

static const struct option_row rows[] = {
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle doctor",
    .usage = (const char *const[]){"[PROGRAM ...]", NULL},
    .about = "Looks whether everything that Heddle needs is here: compiler, kernel, disk,\n"
             "debugger; builds and records a small program. Of each PROGRAM it says what will\n"
             "not be seen: objects and libraries that are not instrumented, inline assembly,\n"
             "vectors over 16 bytes, calls that end a run.\n",
    .rows = rows,
    .more = "Exit code: 0 if Heddle can work, else 4.\n",
    .examples =
        (const struct option_example[]){
            {"heddle doctor ./prog", "this machine, and a program"},
            {NULL, NULL},
        },
};

/* ---- remarks --------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static void say(struct doctor *d, enum health how,
                                                      const char *what, const char *format, ...)
{
    static const char *const words[] = {"ok", "note", "BAD"};
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->is_ill |= how == HEALTH_BAD;
    str_add(&d->out, "%-5s %-9s ", words[how], what);
    add_clean(&d->out, text_of(text));
    str_char(&d->out, '\n');
}

/* ---- this machine ---------------------------------------------------------------------- */

static void look_at_compiler(struct doctor *d)
{
    AUTO(str) struct str text = {0};
    const char *chosen = getenv("HEDDLE_CLANG");
    char clang[256], option[] = "--version";
    snprintf(clang, sizeof clang, "%s", chosen && *chosen ? chosen : "clang-19");
    if (capture(&text, (char *[]){clang, option, NULL}, NULL) != 0 || text.len == 0)
        say(d, HEALTH_BAD, "compiler", "%s cannot be run: apt-get install clang-19", clang);
    else
        say(d, HEALTH_OK, "compiler", "%s: %.*s", clang, (int)strcspn(text.at, "\n"), text.at);
}

static void look_at_kernel(struct doctor *d)
{
    struct utsname u;
    uname(&u);
    bool known = strcmp(u.sysname, "Linux") == 0 && strcmp(u.machine, "x86_64") == 0;
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (!known)
        say(d, HEALTH_BAD, "kernel", "%s on %s: Heddle needs Linux on x86_64", u.sysname,
            u.machine);
    else if (fd < 0)
        say(d, HEALTH_BAD, "kernel", "Linux %s has no pidfd_open: 5.3 or later is needed",
            u.release);
    else
        say(d, HEALTH_OK, "kernel", "Linux %s on %s, %ld processors", u.release, u.machine,
            sysconf(_SC_NPROCESSORS_ONLN));
    if (fd >= 0)
        close(fd);
    int before = personality(0xffffffff);
    if (before < 0 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
        say(d, HEALTH_NOTE, "addresses",
            "cannot be fixed here (personality is refused): runs differ in them");
    else
        personality((unsigned long)before);
}

static void look_at_disk(struct doctor *d)
{
    struct statvfs s;
    if (access(".", W_OK) < 0 || statvfs(".", &s) < 0) {
        say(d, HEALTH_BAD, "disk", "this directory cannot be written: results go here");
        return;
    }
    unsigned long long mb = (unsigned long long)s.f_bavail * s.f_frsize / 1000000;
    say(d, mb < LITTLE_DISK_MB ? HEALTH_NOTE : HEALTH_OK, "disk", "%llu.%llu GB free here%s",
        mb / 1000, mb % 1000 / 100,
        mb < LITTLE_DISK_MB ? ": long runs need more; heddle clean removes old ones" : "");
}

static bool may_trace(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static void look_at_debugger(struct doctor *d)
{
    AUTO(str) struct str text = {0};
    char gdb[] = "gdb", option[] = "--version";
    if (capture(&text, (char *[]){gdb, option, NULL}, NULL) != 0 || text.len == 0)
        say(d, HEALTH_NOTE, "debugger",
            "no gdb: heddle replay --gdb needs it: apt-get install gdb");
    else if (!may_trace())
        say(d, HEALTH_NOTE, "debugger",
            "ptrace is refused here: heddle replay --gdb does not work (in a container: "
            "--cap-add=SYS_PTRACE)");
    else
        say(d, HEALTH_OK, "debugger", "%.*s", (int)strcspn(text.at, "\n"), text.at);
}

/* ---- worlds of runs -------------------------------------------------------------------- */

enum { TRIED_WRITE = 1, TRIED_MAP = 2, TRIED_RENAME = 4, TRIED_MAKE = 8 };

/* In a world, where `file` and `old` are from outside: what goes wrong of that which overlays
 * are known to do otherwise than other file systems. */
static int try_overlay(void)
{
    int wrong = 0, reads = open("file", O_RDONLY), writes = open("file", O_RDWR);
    volatile char *p = reads < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, reads, 0);
    if (writes < 0 || pwrite(writes, "y", 1, 0) != 1)
        wrong |= TRIED_WRITE;
    else if (p == MAP_FAILED || *p != 'y')
        wrong |= TRIED_MAP;
    if (rename("old", "moved") < 0)
        wrong |= TRIED_RENAME;
    if (mkdir("made", 0700) < 0 || rmdir("made") < 0 || mkdir("made", 0700) < 0)
        wrong |= TRIED_MAKE;
    return wrong;
}

static int try_world(const char *directory, struct err *err)
{
    struct run_world *in = NULL;
    int status = -1;
    if (run_world_open(&in, directory, err) < 0)
        return -1;
    pid_t pid = run_world_reset(in, NULL, err) < 0 ? -1 : run_world_fork(in, err);
    if (pid == 0)
        _exit(try_overlay());
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    run_world_close(in);
    if (pid > 0 && !WIFEXITED(status))
        return err_set(err, "a process in a world died");
    return pid > 0 ? WEXITSTATUS(status) : -1;
}

static void say_worlds(struct doctor *d, int wrong, const char *disk)
{
    AUTO(str) struct str text = {0};
    str_add(&text,
            "every run has its own files, processes, ports and queues; changes lie in %s",
            disk[0] ? disk : "memory");
    if (wrong & TRIED_MAP)
        str_add(&text, "; mapped files are copied before they are mapped");
    if (wrong & TRIED_RENAME)
        str_add(&text, "; a run that renames a directory from outside is not judged");
    say(d, HEALTH_OK, "worlds", "%s", text.at);
}

static void look_at_worlds(struct doctor *d)
{
    const char *temp = getenv("TMPDIR"), *why = "";
    AUTO(str) struct str directory = {0}, path = {0};
    struct err err = {0};
    bool is_able = run_worlds(&why);
    int wrong = 0;
    str_add(&directory, "%s/heddle-doctor.XXXXXX", temp && *temp ? temp : "/tmp");
    if (is_able && mkdtemp(directory.at)) {
        str_add(&path, "%s/file", directory.at);
        wrong = file_write(path.at, "x", 1, &err);
        path.len = 0;
        str_add(&path, "%s/old", directory.at);
        if (wrong == 0)
            wrong = directory_make(path.at, &err) < 0 ? -1 : try_world(directory.at, &err);
        run_remove_tree(directory.at);
    }
    if (is_able && wrong >= 0 && !(wrong & (TRIED_WRITE | TRIED_MAKE)))
        say_worlds(d, wrong, why);
    else
        say(d, HEALTH_NOTE, "worlds",
            "not here (%s): runs work in private copies of the directory, one at a time, and "
            "share the rest; one that uses more of it than its directory is not judged",
            !is_able    ? why
            : wrong < 0 ? err.text
                        : "overlays refuse to be written");
}

/* ---- the whole way --------------------------------------------------------------------- */

static const char trial_source[] = "#include <pthread.h>\n"
                                   "static int x;\n"
                                   "static void *f(void *p) { x++; return p; }\n"
                                   "int main(void)\n"
                                   "{\n"
                                   "    pthread_t t;\n"
                                   "    pthread_create(&t, 0, f, 0);\n"
                                   "    pthread_join(t, 0);\n"
                                   "    return x - 1;\n"
                                   "}\n";

/* "heddle WORDS" in the directory; says what went wrong. */
static bool try_step(struct doctor *d, const char *directory, const char *step, char *command)
{
    AUTO(str) struct str text = {0};
    char shell[] = "sh", option[] = "-c", name[] = "sh";
    AUTO(str) struct str self = {0}, variable = {0};
    self_path(&self);
    str_add(&variable, "HEDDLE_DOCTOR=%s", directory);
    char *argv[] = {shell, option, command, name, self.at, NULL};
    if (capture(&text, argv, variable.at) == 0)
        return true;
    say(d, HEALTH_BAD, "trial", "a small program could not be %s: %.*s", step,
        (int)strcspn(text.at ? text.at : "", "\n"), text.at ? text.at : "");
    return false;
}

static void try_everything(struct doctor *d)
{
    const char *temp = getenv("TMPDIR");
    AUTO(str) struct str directory = {0}, source = {0};
    struct err err;
    char build[] = "cd \"$HEDDLE_DOCTOR\" && exec \"$1\" cc -g -pthread trial.c -o trial",
         record[] = "cd \"$HEDDLE_DOCTOR\" && exec \"$1\" run -- ./trial",
         clean[] = "rm -r \"$HEDDLE_DOCTOR\"";
    str_add(&directory, "%s/heddle-doctor.XXXXXX", temp && *temp ? temp : "/tmp");
    if (!mkdtemp(directory.at)) {
        say(d, HEALTH_BAD, "trial", "%s: cannot be made: %s", directory.at, strerror(errno));
        return;
    }
    str_add(&source, "%s/trial.c", directory.at);
    if (file_write(source.at, trial_source, sizeof trial_source - 1, &err) < 0)
        say(d, HEALTH_BAD, "trial", "%s", err.text);
    else if (try_step(d, directory.at, "built", build) &&
             try_step(d, directory.at, "recorded", record))
        say(d, HEALTH_OK, "trial", "a small program was built, run and recorded");
    try_step(d, directory.at, "removed", clean);
}

/* ---- a program ------------------------------------------------------------------------- */

static void say_gap(void *arg, enum gap gap, const char *name, const char *sentence)
{
    static const char *const kinds[] = {"object", "library", "library", "functions"};
    bool unseen = strcmp(sentence, "not instrumented") == 0;
    say(arg, gap == GAP_MISSING ? HEALTH_BAD : HEALTH_NOTE, kinds[gap], "%s: %s%s%s", name,
        sentence, unseen ? ", so what it does to memory is not seen" : "",
        unseen && gap == GAP_OBJECT ? "; compile it with heddle cc" : "");
}

static const struct {
    const char *what, *sentence;
} remarks[REMARK_COUNT] = {
    [REMARK_ASSEMBLY] = {"assembly", "inline assembly that may touch memory is not seen"},
    [REMARK_VECTOR] = {"vector", "more than 16 bytes at once: a hash stands for their value"},
    [REMARK_CALL] = {"call", ": a run that comes there ends as unsupported"},
};

struct inspection {
    struct doctor *d;
    unsigned count[REMARK_COUNT];
    uint32_t line; /* of the last remark, and its kind */
    enum instr_remark_kind kind;
};

static void say_remark(void *arg, const struct instr_remark *r)
{
    struct inspection *x = arg;
    if (x->line == r->line && x->kind == r->kind)
        return;
    x->line = r->line;
    x->kind = r->kind;
    if (++x->count[r->kind] <= REMARKS_MAX)
        say(x->d, HEALTH_NOTE, remarks[r->kind].what, "%.*s:%u in %.*s: %.*s%s",
            TEXT_ARG(r->file), r->line, TEXT_ARG(r->function), TEXT_ARG(r->callee),
            remarks[r->kind].sentence);
}

static void say_code(struct doctor *d, const struct run_program *p)
{
    struct inspection x = {.d = d};
    struct err err;
    if (instr_inspect(&p->bitcode, say_remark, &x, &err) < 0)
        say(d, HEALTH_NOTE, "code", "%s", err.text);
    for (unsigned i = 0; i < REMARK_COUNT; i++)
        if (x.count[i] > REMARKS_MAX)
            say(d, HEALTH_NOTE, remarks[i].what, "%u more places", x.count[i] - REMARKS_MAX);
}

static void look_at_program(struct doctor *d, const char *program)
{
    AUTO(run_program) struct run_program p = {0};
    struct err err;
    if (run_program_read(&p, program, &err) < 0) {
        say(d, HEALTH_BAD, "program", "%s", err.text);
        return;
    }
    if (!p.is_ours) {
        say(d, HEALTH_BAD, "program", "%s: %s", program, cmd_why_not_ours(&p));
        return;
    }
    say(d, HEALTH_OK, "program", "%s: instrumented at %u places in %u sources", program,
        p.sites.len, p.units.len);
    if (p.objects.len == 0)
        say(d, HEALTH_NOTE, "object",
            "the program is stripped: objects that are not instrumented cannot be named");
    gaps_find(&p, program, say_gap, d);
    say_code(d, &p);
}

static int run(int argc, char **argv)
{
    struct doctor d = {0};
    int words, done = cmd_parse(&table, NULL, argc, argv, &words);
    if (done != GO_ON)
        return done;
    look_at_compiler(&d);
    look_at_kernel(&d);
    look_at_disk(&d);
    look_at_debugger(&d);
    look_at_worlds(&d);
    try_everything(&d);
    for (int i = 0; i < words; i++)
        look_at_program(&d, argv[i]);
    int code = cmd_print(&d.out);
    str_done(&d.out);
    return code != EXIT_GOOD ? code : d.is_ill ? EXIT_WORLD : EXIT_GOOD;
}

const struct command cmd_doctor = {.name = "doctor",
                                   .help = "is everything here that Heddle needs?",
                                   .table = &table,
                                   .run = run};
