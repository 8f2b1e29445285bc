/* Calls that fail at once where others would wait or work: the wrong end, the wrong kind of
 * descriptor, no memory there, modes that are none; and what says why without failing. */
//~ exit: 0
//~ stdout: pipe: read EBADF write EBADF recv ENOTSOCK pread ESPIPE isatty ENOTTY
//~ stdout: no memory: read EFAULT mmap EBADF
//~ stdout: listening: recv ENOTCONN; connected: accept EINVAL
//~ stdout: streams: fdopen EBADF EINVAL, popen EINVAL, reopened for reading 7 then EBADF
//~ stdout: clocks: timer EINVAL timerfd EINVAL, no span EINVAL, code of raise 0
//~ stdout: forked: prepare parent, vforked
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *failed(long result)
{
    return result < 0 ? strerrorname_np(errno) : "0";
}

static const char *no_stream(const FILE *f)
{
    return f ? "0" : strerrorname_np(errno);
}

static void about_pipes(void)
{
    int end[2], none = 0;
    char c;
    if (pipe(end) != 0)
        return;
    const char *reads = failed(read(end[1], &c, 1)), *writes = failed(write(end[0], "x", 1));
    const char *receives = failed(recv(end[0], &c, 1, 0));
    const char *at = failed(pread(end[0], &c, 1, 0));
    const char *tty = failed(isatty(end[0]) ? 0 : -1);
    printf("pipe: read %s write %s recv %s pread %s isatty %s\n", reads, writes, receives, at,
           tty);
    void *nowhere = (char *)0 - 1;
    if (write(end[1], "x", 1) == 1)
        none = read(end[0], nowhere, 1) < 0 ? errno : 0;
    const void *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 999, 0);
    printf("no memory: read %s mmap %s\n", strerrorname_np(none),
           failed(p == MAP_FAILED ? -1 : 0));
}

static void about_sockets(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    int both[2], listener = socket(AF_INET, SOCK_STREAM, 0);
    char c;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (const struct sockaddr *)&a, sizeof a) || listen(listener, 1) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, both))
        return;
    const char *receives = failed(recv(listener, &c, 1, 0));
    printf("listening: recv %s; connected: accept %s\n", receives,
           failed(accept(both[0], NULL, NULL)));
}

static void about_streams(void)
{
    int end[2], number = 0;
    if (pipe(end) != 0)
        return;
    const char *none = no_stream(fdopen(999, "r")), *wrong = no_stream(fdopen(end[0], "w"));
    const char *mode = no_stream(popen("true", "q"));
    FILE *f = fopen("error-codes-io.tmp", "w");
    fputs("7\n", f);
    f = freopen("error-codes-io.tmp", "r", f);
    if (fscanf(f, "%d", &number) != 1)
        number = -1;
    printf("streams: fdopen %s %s, popen %s, reopened for reading %d then %s\n", none, wrong,
           mode, number, failed(fputc('x', f)));
    fclose(f);
    remove("error-codes-io.tmp");
}

static void about_clocks(void)
{
    timer_t timer;
    sigset_t set;
    siginfo_t info = {0};
    struct timespec bad = {0, -1};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    const char *made = failed(timer_create(99, NULL, &timer));
    const char *opened = failed(timerfd_create(99, 0));
    const char *waited = failed(sigtimedwait(&set, &info, &bad));
    raise(SIGUSR1);
    sigwaitinfo(&set, &info);
    printf("clocks: timer %s timerfd %s, no span %s, code of raise %d\n", made, opened, waited,
           info.si_code);
}

static void before(void)
{
    printf("prepare ");
}

static void after(void)
{
    printf("parent, ");
}

static void about_forks(void)
{
    pthread_atfork(before, after, NULL);
    printf("forked: ");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    fflush(stdout);
    child = vfork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    printf("vforked\n");
}

int main(void)
{
    about_pipes();
    about_sockets();
    about_streams();
    about_clocks();
    about_forks();
}
