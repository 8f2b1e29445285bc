// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ outside: exec ./talk answer call-unix.sock 2
// Connections to a server of the Unix domain outside are kept in a list with a lock.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A connection that is put back when it is not needed; the first to be taken is the newest. */
struct link {
    int fd;
    struct link *next;
};
static struct link *idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct link *reach(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "call-unix.sock"};
    struct link *l = calloc(1, sizeof *l);
    l->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int i = 0; connect(l->fd, (struct sockaddr *)&to, sizeof to) < 0; i++) {
        if (i == 200 || (errno != ENOENT && errno != ECONNREFUSED))
            abort();
        usleep(20000); /* it begins beside us */
    }
    return l;
}

static struct link *take(void)
{
    pthread_mutex_lock(&lock);
    struct link *l = idle;
    if (l)
        idle = l->next;
    pthread_mutex_unlock(&lock);
    return l ? l : reach();
}

static void put(struct link *l)
{
    pthread_mutex_lock(&lock);
    l->next = idle;
    idle = l;
    pthread_mutex_unlock(&lock);
}

static void say(struct link *l, const char *text)
{
    char want[64], line[64];
    size_t len = (size_t)snprintf(want, sizeof want, "re: %s\n", text), n = 0;
    if (dprintf(l->fd, "%s\n", text) < 0)
        abort();
    while (n < len) {
        ssize_t got = read(l->fd, line + n, len - n);
        if (got <= 0)
            abort();
        n += (size_t)got;
    }
    if (memcmp(line, want, len) != 0)
        abort();
}

static void *work(void *text)
{
    for (int i = 0; i < 2; i++) {
        struct link *l = take();
        say(l, text);
        put(l);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    put(reach());
    put(reach());
    pthread_create(&t[0], NULL, work, "one");
    pthread_create(&t[1], NULL, work, "two");
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    while (idle) {
        struct link *l = idle;
        idle = l->next;
        close(l->fd);
        free(l);
    }
    puts("done");
    return 0;
}
