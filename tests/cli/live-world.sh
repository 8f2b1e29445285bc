# SPDX-License-Identifier: Apache-2.0
# What threads do through the kernel happens in every run by itself, whatever its order: a witness that the
# kernel does not let come true is not confirmed, and one that it does has no harm which is not there.
build() { "$HEDDLE" cc -D_GNU_SOURCE -g -O1 -pthread "$1.c" -o "$1"; }
judge() {
    "$HEDDLE" check --json -- "./$1" >"$1.json" 2>/dev/null || true
    python3 -c 'import json, sys
told = json.load(open(sys.argv[1] + ".json"))
shown = [f for f in told["findings"] if f["verdict"] == "confirmed"]
print(sys.argv[1] + ":", ", ".join(sorted({f["pattern"] + " " + f["harm"] for f in shown})) or "nothing confirmed")' "$1"
}
again() { "$HEDDLE" run -- "./$1" >/dev/null && "$HEDDLE" replay --times 5 "$1.heddle/runs/last" && echo "$1: replays"; }
cat >loop.c <<'E'
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bell, finished, mark;
static void *work(void *arg)
{
    uint64_t one = 1;
    mark = 1; /* a race without harm */
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    return write(bell, &one, sizeof one) == sizeof one ? arg : NULL;
}
int main(void)
{
    pthread_t t[2];
    int set = epoll_create1(0), seen = 0;
    struct epoll_event wanted = {.events = EPOLLIN}, got;
    bell = eventfd(0, 0); /* a read without an event would wait for ever */
    epoll_ctl(set, EPOLL_CTL_ADD, bell, &wanted);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    while (seen < 2) {
        uint64_t rings;
        if (epoll_wait(set, &got, 1, -1) != 1 || read(bell, &rings, sizeof rings) != sizeof rings || rings == 0)
            abort();
        pthread_mutex_lock(&lock);
        seen = finished;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("both");
    return 0;
}
E
cat >ofd.c <<'E'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int count;
static void *add(void *arg)
{
    int fd = open("lock", O_CREAT | O_RDWR, 0600);
    struct flock l = {.l_type = F_WRLCK};
    fcntl(fd, F_OFD_SETLKW, &l);
    int old = count;
    usleep(10);
    count = old + 1;
    l.l_type = F_UNLCK;
    fcntl(fd, F_OFD_SETLKW, &l);
    close(fd);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return printf("%d\n", count) < 0;
}
E
cat >crowd.c <<'E'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "crowd.socket"};
static void *come(void *arg)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), from = fileno(arg);
    off_t start = 0;
    if (connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
        perror("connect");
    else
        sendfile(fd, from, &start, 1 << 20);
    close(fd);
    return arg;
}
int main(void)
{
    pthread_t t[4];
    FILE *large = tmpfile();
    static char piece[1 << 16];
    long bytes = 0, n;
    int door = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(at.sun_path);
    bind(door, (struct sockaddr *)&at, sizeof at);
    listen(door, 0);
    ftruncate(fileno(large), 1 << 20);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, come, large);
    for (int i = 0; i < 4; i++) {
        int fd = accept(door, NULL, NULL);
        while ((n = read(fd, piece, sizeof piece)) > 0)
            bytes += n;
        close(fd);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return printf("%ld\n", bytes) < 0;
}
E
for p in loop ofd crowd; do
    build $p
    again $p
done
"$HEDDLE" run --runs 20 --policy random -- ./ofd | awk '{print $1, $2, $3}'
./crowd
"$HEDDLE" run -- ./crowd
for p in loop ofd; do judge $p; done
