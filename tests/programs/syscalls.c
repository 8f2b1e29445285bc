// SPDX-License-Identifier: Apache-2.0
// System calls by number, from two threads: logged like the functions of libc.
//~ stdout: 5 bytes: hello
//~ stdout: a directory
//~ stdout: . and .. among its entries
//~ stdout: thread and process have one number
//~ stdout: signal 10 came
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static volatile sig_atomic_t came;

static void on_signal(int number)
{
    came = number;
}

static void *writer(void *arg)
{
    struct timespec span = {0, 1000000};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL);
    syscall(SYS_write, ends[1], "hello", 5L);
    return arg;
}

static void list(void)
{
    char entries[4096];
    int dots = 0, fd = (int)syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0L);
    long n = syscall(SYS_getdents64, fd, entries, sizeof entries);
    for (long at = 0; at < n; at += *(unsigned short *)(entries + at + 16))
        dots += !strcmp(entries + at + 19, ".") || !strcmp(entries + at + 19, "..");
    syscall(SYS_close, fd);
    puts(dots == 2 ? ". and .. among its entries" : "no dots");
}

int main(void)
{
    pthread_t t;
    char text[16] = "";
    struct statx st;
    struct timespec now;
    syscall(SYS_pipe2, ends, 0L);
    pthread_create(&t, NULL, writer, NULL);
    long n = syscall(SYS_read, ends[0], text, sizeof text);
    printf("%ld bytes: %s\n", n, text);
    pthread_join(t, NULL);
    if (syscall(SYS_statx, AT_FDCWD, "/", 0L, STATX_TYPE, &st) == 0)
        puts(S_ISDIR(st.stx_mode) ? "a directory" : "something");
    list();
    int pid = (int)syscall(SYS_getpid), tid = (int)syscall(SYS_gettid);
    puts(pid == tid ? "thread and process have one number" : "two numbers");
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    signal(SIGUSR1, on_signal);
    syscall(SYS_tgkill, pid, tid, SIGUSR1);
    printf("signal %d came\n", (int)came);
    return now.tv_sec < 0;
}
