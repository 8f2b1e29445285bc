/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-child: other processes. A forked child goes on under the scheduler (forked.c); a
 * spawned one never knew us. In a replay no process is started: the log says what their ids
 * were and how they ended. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

extern char **environ;

/* ---- fork ------------------------------------------------------------------------- */

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                      void *dso);

/* Kept here and not in libc: they run in a replay too, where nothing is forked. */
EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *dso)
{
    if (!self)
        return real.register_atfork(prepare, parent, child, dso);
    if (rt.child.atfork_count == ATFORKS_MAX)
        return ENOMEM;
    rt.child.atforks[rt.child.atfork_count++] = (struct atfork){prepare, parent, child};
    return 0;
}

/* Not if its shared object is gone. */
static void run_handler(void (*handler)(void))
{
    Dl_info info;
    void *p;
    __builtin_memcpy(&p, &handler, sizeof p);
    if (handler && dladdr(p, &info))
        handler();
}

/* The target's own handlers are its callers' business; in the child forked_begin has been. */
static pid_t fork_only(struct thr *t, const char *name)
{
    struct call c = call_begin(t, name);
    shared_with_child();
    outside_told(&c);
    if (!rt.set.children)
        forked_stranger("what the program forks");
    if (call_live(&c))
        CALL_MADE(c, rt.set.children ? forked_make(t) : real.fork());
    else if (c.result == 0)
        forked_replay();
    bool is_off = c.live && c.result == 0 && !rt.set.children;
    return is_off ? 0 : (pid_t)call_end(&c);
}

EXPORT pid_t fork(void)
{
    struct thr *t = self;
    if (!t)
        return real.fork();
    for (uint32_t i = rt.child.atfork_count; i-- > 0;)
        run_handler(rt.child.atforks[i].prepare);
    pid_t pid = fork_only(t, "fork");
    int error = errno;
    for (uint32_t i = 0; i < rt.child.atfork_count; i++)
        run_handler(pid == 0 ? rt.child.atforks[i].child : rt.child.atforks[i].parent);
    errno = error;
    return pid;
}

/* No handlers. A child that borrowed our memory would run on with our token: it has its own. */
EXPORT pid_t vfork(void)
{
    struct thr *t = self;
    return t ? fork_only(t, "vfork") : real.fork();
}

EXPORT pid_t _Fork(void)
{
    struct thr *t = self;
    return t ? fork_only(t, "_Fork") : real._Fork();
}

/* ---- waiting for the end of a child ------------------------------------------------------ */

struct child_wait {
    idtype_t type;
    id_t id;
    int options;
};

static bool child_changed(struct thr *t)
{
    const struct child_wait *w = t->wait_what;
    siginfo_t info = {.si_pid = 0};
    long e =
        sys_call(SYS_waitid, w->type, w->id, (long)&info, w->options | WNOHANG | WNOWAIT, 0, 0);
    return e < 0 || info.si_pid != 0;
}

bool child_awaited(const struct thr *t)
{
    return t->wait_test == child_changed;
}

/* False: a handler says that the wait is over. A stranger counts as running still when the wait
 * begins: whether it was faster than we are is up to the machine's load. */
static bool await_child(struct thr *t, const struct child_wait *w, bool live, bool is_stranger)
{
    for (;; is_stranger = false) {
        t->wait_what = w;
        if (!sched_goes_outside(t, live && (is_stranger || !child_changed(t))))
            return true;
        t->interrupted = false;
        enum wake_how how = sched_block_test(t, child_changed, w, "a child process", NEVER);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && t->interrupted)
            return false;
    }
}

static struct child_wait wait_of(pid_t pid, int options)
{
    int kinds = WEXITED | (options & WUNTRACED ? WSTOPPED : 0) | (options & WCONTINUED);
    if (pid > 0)
        return (struct child_wait){P_PID, (id_t)pid, kinds};
    if (pid == -1)
        return (struct child_wait){P_ALL, 0, kinds};
    return (struct child_wait){P_PGID, pid == 0 ? 0 : (id_t)-pid, kinds};
}

static bool wait_begin(struct call *c, const struct child_wait *w, int options)
{
    bool live = call_live(c);
    bool over = !(options & WNOHANG) && !await_child(c->thr, w, live, !rt.family);
    if (live && over) {
        c->result = -1;
        c->error = EINTR;
    }
    return live && !over;
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct thr *t = self;
    if (!t)
        return real.wait4(pid, status, options, usage);
    struct call c = call_begin(t, "wait4");
    struct child_wait w = wait_of(pid, options);
    if (wait_begin(&c, &w, options))
        CALL_MADE(c, real.wait4(pid, status, options | WNOHANG, usage));
    if (c.live && c.result == 0 && rt.family)
        turn_pause(); /* who asks again and again lets it come to its end */
    call_fills(&c, status, c.result > 0 ? (int64_t)sizeof *status : 0);
    call_fills(&c, usage, c.result > 0 ? (int64_t)sizeof *usage : 0);
    outside_heard(&c);
    return (pid_t)call_end(&c);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait4(-1, status, options, usage);
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    return self ? wait4(pid, status, options, NULL) : real.waitpid(pid, status, options);
}

EXPORT pid_t wait(int *status)
{
    return self ? wait4(-1, status, 0, NULL) : real.wait(status);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct thr *t = self;
    if (!t)
        return real.waitid(type, id, info, options);
    struct call c = call_begin(t, "waitid");
    struct child_wait w = {type, id, options & ~WNOWAIT};
    if (wait_begin(&c, &w, options))
        CALL_MADE(c, real.waitid(type, id, info, options | WNOHANG));
    call_fills(&c, info, c.result == 0 ? (int64_t)sizeof *info : 0);
    outside_heard(&c);
    return (int)call_end(&c);
}

/* ---- other programs ---------------------------------------------------------------------- */

static void apart_started_all(char *const *argv)
{
    for (; *argv; argv++)
        apart_started(*argv);
}

#define SPAWNS(name)                                                                    \
    EXPORT int name(pid_t *restrict pid, const char *restrict path,                     \
                    const posix_spawn_file_actions_t *actions,                          \
                    const posix_spawnattr_t *restrict attr, char *const *restrict argv, \
                    char *const *restrict env)                                          \
    {                                                                                   \
        struct thr *t = self;                                                           \
        if (!t)                                                                         \
            return real.name(pid, path, actions, attr, argv, env);                      \
        struct call c = call_begin(t, #name);                                           \
        shared_with_child();                                                            \
        outside_told(&c);                                                               \
        forked_stranger(path);                                                          \
        apart_started_all(argv);                                                        \
        pid_t id = 0;                                                                   \
        if (call_live(&c)) {                                                            \
            process_lend(t, true);                                                      \
            CALL_MADE(c, real.name(&id, path, actions, attr, argv, env));               \
            process_lend(t, false);                                                     \
        }                                                                               \
        call_fills(&c, pid ? pid : &id, c.result == 0 ? (int64_t)sizeof id : 0);        \
        if (c.live && pid && c.result == 0)                                             \
            *pid = id;                                                                  \
        return (int)call_end(&c);                                                       \
    }

SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/* A shell, with one of its standard streams connected. */
static pid_t start_shell(const char *command, int ours, int theirs, int as)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
    pid_t pid = real.fork();
    if (pid != 0)
        return pid;
    if (theirs >= 0)
        sys_call(SYS_dup2, theirs, as, 0, 0, 0, 0);
    if (theirs >= 0 && theirs != as)
        sys_close(theirs);
    if (ours >= 0 && ours != as)
        sys_close(ours);
    sys_call(SYS_execve, (long)"/bin/sh", (long)argv, (long)environ, 0, 0, 0);
    sys_exit(127);
}

EXPORT int system(const char *command)
{
    struct thr *t = self;
    if (!t)
        return real.system(command);
    if (!command)
        return 1;
    struct call c = call_begin(t, "system");
    shared_with_child();
    outside_told(&c);
    forked_stranger(command);
    apart_started(command);
    struct child_wait w = {P_PID, 0, WEXITED};
    int status = -1;
    if (call_live(&c))
        w.id = (id_t)start_shell(command, -1, -1, -1);
    await_child(t, &w, c.live, true);
    if (c.live) {
        real.waitpid((pid_t)w.id, &status, 0);
        CALL_MADE(c, status);
    }
    outside_heard(&c);
    return (int)call_end(&c);
}

EXPORT FILE *popen(const char *command, const char *mode)
{
    struct thr *t = self;
    if (!t)
        return real.popen(command, mode);
    bool reads = mode[0] == 'r';
    if ((!reads && mode[0] != 'w') || mode[1 + __builtin_strspn(mode + 1, "e")]) {
        errno = EINVAL;
        return NULL;
    }
    struct call c = call_begin(t, "popen");
    shared_with_child();
    outside_told(&c);
    forked_stranger(command);
    apart_started(command);
    int ends[2];
    if (call_live(&c)) {
        CALL_MADE(c, real.pipe2(ends, O_CLOEXEC));
        if (c.result == 0) {
            c.kept = (uint64_t)start_shell(command, ends[!reads], ends[reads], reads);
            real.close(ends[reads]);
            c.result = ends[!reads];
        }
    }
    call_keeps(&c, &c.kept, sizeof c.kept);
    descriptor_new(&c, c.result);
    int fd = (int)call_end(&c);
    FILE *f = fd < 0 ? NULL : stream_open(fd, reads ? "r" : "w");
    for (int i = 0; f && i < SHELLS_MAX; i++)
        if (!rt.child.shells[i].stream) {
            rt.child.shells[i] = (struct shell){f, (pid_t)c.kept};
            return f;
        }
    return f;
}

EXPORT int pclose(FILE *f)
{
    struct thr *t = self;
    int status = -1;
    if (!t)
        return real.pclose(f);
    for (int i = 0; i < SHELLS_MAX; i++) {
        if (rt.child.shells[i].stream != f)
            continue;
        pid_t pid = rt.child.shells[i].pid;
        rt.child.shells[i] = (struct shell){0};
        fclose(f);
        return waitpid(pid, &status, 0) == pid ? status : -1;
    }
    return fclose(f);
}

/* ---- another image ----------------------------------------------------------------------- *
 * The attempt is noted; a failure comes back and is logged. Where the log of a replay has none,
 * this is the end of the run. */

static int exec_call(struct thr *t, int fd, const char *path, char *const *argv,
                     char *const *env, bool search)
{
    struct call c = call_begin(t, "exec");
    input_note(t, "image");
    if (rt.input.exact && !input_has(t, "exec"))
        sys_exit(0);
    if (call_live(&c)) {
        bool is_there =
            fd >= 0 || search || sys_call(SYS_access, (long)path, X_OK, 0, 0, 0, 0) == 0;
        forked_stranger(path ? path : argv[0] ? argv[0] : "?");
        apart_started_all(argv);
        process_lend(t, true);
        if (rt.family && is_there)
            turn_leave(false);
        CALL_MADE(c, fd >= 0  ? real.fexecve(fd, argv, env)
                     : search ? real.execvpe(path, argv, env)
                              : real.execve(path, argv, env));
        if (rt.family && is_there)
            turn_in();
        process_lend(t, false);
    }
    return (int)call_end(&c);
}

EXPORT int execve(const char *path, char *const *argv, char *const *env)
{
    return self ? exec_call(self, -1, path, argv, env, false) : real.execve(path, argv, env);
}

EXPORT int execv(const char *path, char *const *argv)
{
    return execve(path, argv, environ);
}

EXPORT int execvpe(const char *path, char *const *argv, char *const *env)
{
    return self ? exec_call(self, -1, path, argv, env, true) : real.execvpe(path, argv, env);
}

EXPORT int execvp(const char *path, char *const *argv)
{
    return execvpe(path, argv, environ);
}

EXPORT int fexecve(int fd, char *const *argv, char *const *env)
{
    return self ? exec_call(self, fd, NULL, argv, env, false) : real.fexecve(fd, argv, env);
}

enum { ARGUMENTS_MAX = 1000 };

/* The arguments up to the null pointer that ends them. */
static void gather(const char **argv, const char *first, va_list list)
{
    int n = 0;
    for (argv[n] = first; argv[n] && n + 1 < ARGUMENTS_MAX;
         argv[n] = va_arg(list, const char *))
        n++;
    argv[n] = NULL;
}

#define LISTED(name, take_env, call)                          \
    EXPORT int name(const char *path, const char *first, ...) \
    {                                                         \
        const char *list_argv[ARGUMENTS_MAX];                 \
        char *const *argv = (char *const *)list_argv;         \
        va_list list;                                         \
        va_start(list, first);                                \
        gather(list_argv, first, list);                       \
        take_env;                                             \
        va_end(list);                                         \
        return call;                                          \
    }

LISTED(execl, , execve(path, argv, environ))
LISTED(execlp, , execvpe(path, argv, environ))
LISTED(execle, char *const *env = va_arg(list, char *const *), execve(path, argv, env))
