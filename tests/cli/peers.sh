# SPDX-License-Identifier: Apache-2.0
# Who talks to a server while it is recorded is played in all other runs, in step with what the server sends: a
# correct one has no failure in any schedule, and a witness can be followed.
cat >server.c <<'E'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
/* Two workers share an epoll set, once the third guest says that all have come. A line "add N" is answered with the sum, "quit" ends the server. */
static int set, total, hint;
static int done[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int answer(int fd)
{
    char line[64], out[64];
    ssize_t n = read(fd, line, sizeof line - 1);
    if (n <= 0) {
        close(fd);
        return 0;
    }
    line[n] = 0;
    if (strncmp(line, "quit", 4) == 0)
        return 1;
    pthread_mutex_lock(&lock);
    int old = total;
    total = old + atoi(line + 4);
    int now = total;
    pthread_mutex_unlock(&lock);
    if (now < old + atoi(line + 4))
        abort();
    int len = snprintf(out, sizeof out, "ok\n");
    if (write(fd, out, (size_t)len) != len)
        abort();
    struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
    epoll_ctl(set, EPOLL_CTL_MOD, fd, &e);
    return 0;
}
static void *work(void *arg)
{
    struct epoll_event e;
    for (;;) {
        hint = 1; /* a race without harm */
        if (epoll_wait(set, &e, 1, -1) != 1)
            continue;
        if (e.data.fd == done[0])
            return arg;
        if (answer(e.data.fd) && write(done[1], "x", 1) == 1)
            return arg;
    }
}
int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int door = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    pthread_t t[2];
    int guest[3];
    char line[64];
    (void)argc;
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(door, (struct sockaddr *)&at, sizeof at) < 0 || listen(door, 8) < 0)
        return 3;
    set = epoll_create1(0);
    if (pipe(done) < 0)
        return 3;
    struct epoll_event e = {.events = EPOLLIN, .data.fd = done[0]};
    epoll_ctl(set, EPOLL_CTL_ADD, done[0], &e);
    for (int i = 0; i < 3; i++)
        guest[i] = accept(door, NULL, NULL);
    if (read(guest[2], line, sizeof line) <= 0)
        return 4;
    for (int i = 0; i < 3; i++) {
        struct epoll_event c = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = guest[i]};
        epoll_ctl(set, EPOLL_CTL_ADD, guest[i], &c);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", total);
    return 0;
}
E
cat >client.py <<'E'
import socket, sys, time
port = int(sys.argv[1])
def connect():
    for _ in range(200):
        try: return socket.create_connection(("127.0.0.1", port))
        except OSError: time.sleep(0.05)
    sys.exit(5)
a, b, c = connect(), connect(), connect()
for i in range(3):
    a.send(b"add 1\n"); b.send(b"add 10\n")
    if i == 0: c.send(b"go\n")
    assert a.recv(10) == b"ok\n"; assert b.recv(10) == b"ok\n"
a.close()
b.close()
time.sleep(0.1)
c.send(b"quit\n")
E
port=$((10000 + $$ % 10000))
"$HEDDLE" cc -g -O1 -pthread server.c -o right
judge() {
    python3 client.py $port 2>/dev/null &
    "$HEDDLE" check --json --explore 60 -- ./$1 $port >$1.json 2>$1.err || true
    wait
    python3 -c 'import json, sys
told = json.load(open(sys.argv[1] + ".json"))
shown = [f for f in told["findings"] if f["verdict"] == "confirmed"]
print(sys.argv[1] + ":", ", ".join(sorted({f["pattern"] + " " + f["harm"] for f in shown if f["pattern"] in ("race", "failure")})))' $1
}
judge right
witness=$(python3 -c 'import json
print(next(f for f in json.load(open("right.json"))["findings"] if f["pattern"] == "race")["replay"].split()[-1])')
"$HEDDLE" replay --quiet "$witness" 2>&1
# A record of them that is cut off anywhere is a shorter one.
python3 client.py $port 2>/dev/null &
"$HEDDLE" run -- ./right $port
wait
peers=$PWD/right.heddle/runs/last/peers
size=$(wc -c <"$peers")
for cut in 8 40 $((size / 3)) $((size / 2)) $((size - 1)); do
    mkdir -p cut
    head -c "$cut" "$peers" >cut/peers.short
    code=0
    HEDDLE_RT="dir=$PWD/cut:policy=random:seed=$cut:peers=$PWD/cut/peers.short" timeout 20 ./right $port >/dev/null 2>&1 || code=$?
    [ $code -lt 2 ] || echo "cut at $cut: exit $code"
    rm -r cut
done
