/* SPDX-License-Identifier: Apache-2.0
 *
 * launch: how a run gets its process. A program with our runtime in it is started with a
 * socket and stops before its first instruction to ask what to do (rt/serve.c): it becomes the
 * run itself, or makes a copy of itself for every run. Any other program just runs; what it
 * starts in turn may be ours, and finds the settings in its environment. */
#include "run/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SOCKET_FD = 198, /* out of the way of descriptors that a program expects to get */
    VARIABLE_BYTES = 500,
};

struct run_server {
    pid_t pid;
    int socket;
    char *name;       /* owned: the program's */
    struct str build; /* which build it is, once somebody asked */
};

static void (*limit_action)(int); /* what the target gets when a file may not grow further */

void pad_settings(struct str *text)
{
    str_add(text, ":pad=");
    while (text->len % VARIABLE_BYTES != 0)
        str_char(text, 'x');
}

/* In the child: never returns. What goes wrong is told through the socket, as -errno. */
static _Noreturn void become(char *const *argv, const char *settings, bool aslr, int told)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* the same addresses in every run, where the system allows it */
    int old = personality(0xffffffff);
    if (old >= 0 && !aslr)
        personality((unsigned long)old | ADDR_NO_RANDOMIZE);
    setenv("HEDDLE_RT", settings, 1);
    execvp(argv[0], argv);
    int32_t why = -errno;
    ssize_t ignored = write(told, &why, sizeof why);
    (void)ignored;
    _exit(127);
}

static _Noreturn void become_server(char *const *argv, bool aslr, int socket)
{
    AUTO(str) struct str text = {0};
    int fd = fcntl(socket, F_DUPFD, SOCKET_FD);
    if (fd < 0)
        fd = fcntl(socket, F_DUPFD, 3);
    str_add(&text, "serve=%06d", fd);
    pad_settings(&text);
    become(argv, text.at, aslr, socket);
}

static _Noreturn void become_plain(const struct launch *l, int told)
{
    AUTO(str) struct str text = {0};
    world_enter(l->init, l->flags, told);
    setpgid(0, 0);
    for (int i = 0; i < 3; i++)
        dup2(l->streams[i], i);
    if (l->directory && chdir(l->directory) < 0)
        _exit(127);
    str_add(&text, "%s", l->settings);
    pad_settings(&text);
    become(l->argv, text.at, l->aslr, told);
}

/* A file that may not grow further is an error where we write, not our death. */
static void heed_file_limit(void)
{
    static bool is_told;
    if (!is_told)
        limit_action = signal(SIGXFSZ, SIG_IGN);
    is_told = true;
}

/* The new process, and the socket to talk to it. */
static pid_t fork_with_socket(int *out, int *theirs, struct err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(err, "socket");
    fflush(NULL);
    heed_file_limit();
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGXFSZ, limit_action);
        *theirs = ends[1];
        return 0;
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return err_sys(err, "fork");
    }
    *out = ends[0];
    return pid;
}

int run_server_open(struct run_server **out, char *const *argv, bool aslr, struct err *err)
{
    int socket = -1, theirs = -1;
    pid_t pid = fork_with_socket(&socket, &theirs, err);
    if (pid < 0)
        return -1;
    if (pid == 0)
        become_server(argv, aslr, theirs);
    struct run_server *s = mem_resize(NULL, sizeof *s);
    *s = (struct run_server){.pid = pid, .socket = socket, .name = strdup(argv[0])};
    *out = s;
    return 0;
}

const char *server_build(struct run_server *s)
{
    if (!s->build.at)
        run_build(&s->build, s->name);
    return s->build.at;
}

void run_server_close(struct run_server *s)
{
    if (!s)
        return;
    if (s->socket >= 0)
        close(s->socket);
    if (s->pid > 0)
        waitpid(s->pid, NULL, 0);
    str_done(&s->build);
    free(s->name);
    free(s);
}

/* It ended instead of answering. */
static int lost(struct run_server *s, struct err *err)
{
    int status = 0;
    waitpid(s->pid, &status, 0);
    s->pid = 0;
    if (WIFSIGNALED(status))
        return err_set(err, "%s: died of signal %d (%s) before its first instruction", s->name,
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    return err_set(err, "%s: ended with exit code %d before its first instruction", s->name,
                   WEXITSTATUS(status));
}

static int send_request(const struct run_server *s, const struct launch *l, char how)
{
    AUTO(str) struct str text = {0};
    const char *directory = l->directory ? l->directory : "";
    int fds[] = {l->streams[0], l->streams[1], l->streams[2], l->init};
    str_char(&text, how);
    str_bytes(&text, l->settings, strlen(l->settings) + 1);
    str_bytes(&text, directory, strlen(directory) + 1);
    str_add(&text, "%d", l->flags);
    str_char(&text, 0);
    return packet_send(s->socket, &text, fds, l->init >= 0 ? 4 : 3);
}

/* Into a world goes a copy of a copy: the one between is in the answer too, and has ended. */
static pid_t ask(struct run_server *s, const struct launch *l, char how, struct err *err)
{
    int32_t answer[2] = {0, 0};
    ssize_t n = send_request(s, l, how);
    do
        n = recv(s->socket, answer, sizeof answer, 0);
    while (n < 0 && errno == EINTR);
    if (n != sizeof answer && n != sizeof *answer)
        return lost(s, err);
    while (answer[1] > 0 && waitpid(answer[1], NULL, 0) < 0 && errno == EINTR)
        ;
    if (answer[0] > 0)
        return answer[0];
    errno = -answer[0];
    return err_sys(err, "%s%s", s->name, how == 'w' ? ": cannot enter its world" : "");
}

static int32_t hear(int socket)
{
    int32_t said = 0;
    ssize_t n;
    do
        n = recv(socket, &said, sizeof said, 0);
    while (n < 0 && errno == EINTR);
    return n == sizeof said ? said : 0;
}

static pid_t launch_plain(const struct launch *l, struct err *err)
{
    int socket = -1, theirs = -1;
    pid_t pid = fork_with_socket(&socket, &theirs, err);
    if (pid == 0)
        become_plain(l, theirs);
    if (pid < 0)
        return -1;
    int32_t said = hear(socket);
    if (l->init >=
        0) { /* the one that we know has started the one that runs: who speaks first? */
        int32_t other = said ? hear(socket) : -ECHILD;
        waitpid(pid, NULL, 0);
        pid = said > 0 ? said : other > 0 ? other : -1;
        said = said < 0 ? said : other;
    }
    close(socket);
    if (said == 0)
        return pid;
    if (pid > 0)
        waitpid(pid, NULL, 0);
    errno = -said;
    return err_sys(err, "%s", l->argv[0]);
}

pid_t target_launch(const struct launch *l, struct run_server *server, struct err *err)
{
    if (server)
        return ask(server, l, l->init >= 0 ? 'w' : 'c', err);
    if (!run_is_ours(l->argv[0]))
        return launch_plain(l, err);
    if (run_server_open(&server, l->argv, l->aslr, err) < 0)
        return -1;
    pid_t pid = ask(server, l, l->init >= 0 ? 'w' : 'o', err);
    if (pid > 0 && l->init < 0)
        server->pid = 0; /* it is the run now */
    run_server_close(server);
    return pid;
}
