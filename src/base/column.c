/* SPDX-License-Identifier: Apache-2.0
 *
 * column: see column.h. Pages of a shared mapping can be dropped at any time, by any thread:
 * what they hold stays in the file, or on its way there. */
#include "base/column.h"

#include "base/arena.h"
#include "base/io.h"
#include "base/stop.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>

enum {
    PAGE = 4096,
    LOOK_MS = 50, /* between two looks at what is in memory */
};

struct column {
    void *at;
    size_t bytes; /* mapped */
    int fd;       /* owned; -1: lent */
};

/* What can leave memory: a few dozen at a time. */
static struct {
    pthread_mutex_t lock;
    VEC(struct column) all;
    bool is_watched; /* by a thread */
} columns = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_ullong keep_bytes;

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static struct column *column_of(const void *at)
{
    for (uint32_t i = 0; i < columns.all.len; i++)
        if (columns.all.at[i].at == at)
            return &columns.all.at[i];
    return NULL;
}

static _Noreturn void no_room(const char *directory, size_t bytes)
{
    fprintf(stderr, "heddle: no room for %zu bytes in %s: %s\n", bytes, directory,
            strerror(errno));
    exit(4);
}

static int open_nameless(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char path[4096];
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    if (snprintf(path, sizeof path, "%s/.columns-XXXXXX", directory) >= (int)sizeof path)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static void leave(void)
{
    for (uint32_t i = 0; i < columns.all.len; i++)
        madvise(columns.all.at[i].at, columns.all.at[i].bytes, MADV_DONTNEED);
}

void columns_leave(void)
{
    pthread_mutex_lock(&columns.lock);
    leave();
    pthread_mutex_unlock(&columns.lock);
}

void columns_keep(uint64_t resident_bytes)
{
    keep_bytes = resident_bytes;
}

static bool has_files(void)
{
    for (uint32_t i = 0; i < columns.all.len; i++)
        if (columns.all.at[i].fd >= 0)
            return true;
    return false;
}

/* Ends with the last column that is in a file. */
static void *watch(void *arg)
{
    for (bool goes_on = true; goes_on;) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
        uint64_t most = keep_bytes;
        bool is_much = most > 0 && stop_resident(getpid()) > most;
        pthread_mutex_lock(&columns.lock);
        if (is_much)
            leave();
        goes_on = columns.is_watched = has_files();
        pthread_mutex_unlock(&columns.lock);
    }
    return arg;
}

/* Signals are for the thread that works. Without a watcher the columns are there as well. */
static void begin_watch(void)
{
    pthread_t thread;
    sigset_t all, before;
    if (columns.is_watched)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    columns.is_watched = pthread_create(&thread, NULL, watch, NULL) == 0;
    if (columns.is_watched)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void *column_new(const char *directory, size_t bytes)
{
    struct column c = {.bytes = whole_pages(bytes ? bytes : 1), .fd = open_nameless(directory)};
    if (c.fd < 0)
        no_room(directory, bytes);
    if ((errno = posix_fallocate(c.fd, 0, (off_t)c.bytes)) != 0)
        no_room(directory, bytes);
    c.at = mmap(NULL, c.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c.fd, 0);
    if (c.at == MAP_FAILED)
        mem_fail(c.bytes);
    pthread_mutex_lock(&columns.lock);
    vec_push(&columns.all, c);
    begin_watch();
    pthread_mutex_unlock(&columns.lock);
    return c.at;
}

void *column_get(const char *directory, size_t bytes)
{
    return directory ? column_new(directory, bytes) : mem_get(bytes);
}

/* A shorter file gives its room back, a longer one takes it first. */
static void *column_change(const char *directory, struct column *c, size_t bytes)
{
    size_t mapped = whole_pages(bytes ? bytes : 1);
    if (mapped > c->bytes && (errno = posix_fallocate(c->fd, 0, (off_t)mapped)) != 0)
        no_room(directory, bytes);
    void *at = mremap(c->at, c->bytes, mapped, MREMAP_MAYMOVE);
    if (at == MAP_FAILED)
        mem_fail(mapped);
    if (mapped < c->bytes && ftruncate(c->fd, (off_t)mapped) < 0)
        no_room(directory, bytes); /* of its own file: cannot be */
    c->at = at;
    c->bytes = mapped;
    return at;
}

void *column_resize(const char *directory, void *old, size_t bytes)
{
    pthread_mutex_lock(&columns.lock);
    struct column *c = column_of(old);
    void *at = c ? column_change(directory, c, bytes) : NULL;
    pthread_mutex_unlock(&columns.lock);
    if (at)
        return at;
    return old || !directory ? mem_resize(old, bytes) : column_get(directory, bytes);
}

void column_free(void *column)
{
    pthread_mutex_lock(&columns.lock);
    struct column *c = column_of(column);
    if (c) {
        munmap(c->at, c->bytes);
        close(c->fd);
        *c = columns.all.at[--columns.all.len];
    }
    pthread_mutex_unlock(&columns.lock);
    if (!c)
        free(column);
}

void column_lend(const void *at, size_t bytes)
{
    pthread_mutex_lock(&columns.lock);
    vec_push(&columns.all, (struct column){(void *)(uintptr_t)at, whole_pages(bytes), -1});
    pthread_mutex_unlock(&columns.lock);
}

void column_lend_end(const void *at)
{
    pthread_mutex_lock(&columns.lock);
    struct column *c = column_of(at);
    if (c)
        *c = columns.all.at[--columns.all.len];
    pthread_mutex_unlock(&columns.lock);
}

uint64_t columns_room(const char *directory)
{
    struct statvfs s;
    return statvfs(directory, &s) < 0 ? UINT64_MAX : (uint64_t)s.f_bavail * s.f_frsize;
}
