/* Files by name in rarer ways, and watching a directory: a replay has none of these files. */
//~ exit: 0
//~ stdout: watch 1
//~ stdout: links: 0 0, whole name of the link ends in /d/file, moved 0, mode 0
//~ stdout: a fifo 0, times 0, may be written 0, attribute of nothing ENOENT
//~ stdout: seen: file hard soft hard moved fifo
//~ stdout: epoll: 0 in time, then 1 of 7
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static char top[] = "/tmp/heddle-paths-XXXXXX";
static char events[4096];

static void names(void)
{
    char whole[PATH_MAX] = "";
    int hard = linkat(AT_FDCWD, "d/file", AT_FDCWD, "d/hard", 0);
    int soft = symlinkat("file", AT_FDCWD, "d/soft");
    const char *end = realpath("d/soft", whole) ? strstr(whole, "/d/") : "nowhere";
    int moved = renameat2(AT_FDCWD, "d/hard", AT_FDCWD, "d/moved", 1);
    int mode = fchmodat(AT_FDCWD, "d/moved", 0600, 0);
    printf("links: %d %d, whole name of the link ends in %s, moved %d, mode %d\n", hard, soft,
           end, moved, mode);
    int fifo = mkfifoat(AT_FDCWD, "d/fifo", 0600);
    int times = utime("d/file", NULL);
    char value[8];
    ssize_t none = getxattr("d/nothing", "user.x", value, sizeof value);
    printf("a fifo %d, times %d, may be written %d, attribute of nothing %s\n", fifo, times,
           euidaccess("d/file", W_OK), none < 0 && errno == ENOENT ? "ENOENT" : "?");
}

static void changes(int watch)
{
    ssize_t len = read(watch, events, sizeof events);
    printf("seen:");
    for (char *at = events; at < events + len;) {
        const struct inotify_event *e = (const void *)at;
        printf(" %s", e->name);
        at += sizeof *e + e->len;
    }
    printf("\n");
}

int main(void)
{
    if (!mkdtemp(top) || chdir(top) || mkdir("d", 0700))
        return 1;
    int watch = inotify_init1(IN_NONBLOCK);
    printf("watch %d\n", inotify_add_watch(watch, "d", IN_CREATE | IN_MOVE));
    close(open("d/file", O_CREAT | O_WRONLY, 0600));
    names();
    changes(watch);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 7};
    int ep = epoll_create1(0);
    epoll_ctl(ep, EPOLL_CTL_ADD, watch, &event);
    int early = epoll_pwait2(ep, &event, 1, &(struct timespec){0, 1000000}, NULL);
    mkdir("d/more", 0700);
    int late = epoll_pwait2(ep, &event, 1, NULL, NULL);
    printf("epoll: %d in time, then %d of %d\n", early, late, (int)event.data.u64);
    return system("rm -r d") || chdir("/") || rmdir(top);
}
