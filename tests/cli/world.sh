# SPDX-License-Identifier: Apache-2.0
# Every run has a world of its own: what one does outside of its directory no other sees, and
# nothing of it stays. As root and, if we are, as somebody else.
"$HEDDLE" doctor >told 2>&1 || :
grep -q '^ok *worlds' told || exit 77
cat >alone.c <<'EOF2'
#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
static int must(int result, const char *what)
{
    if (result >= 0)
        return result;
    perror(what);
    exit(7);
}
static void *nothing(void *arg)
{
    return arg;
}
/* A client's end that is closed first waits: without SO_REUSEADDR the port is not free. */
static void serve(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(28461),
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int s = must(socket(AF_INET, SOCK_STREAM, 0), "socket"), c = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(s, (struct sockaddr *)&a, sizeof a), "bind");
    must(listen(s, 1), "listen");
    must(connect(c, (struct sockaddr *)&a, sizeof a), "connect");
    int other = must(accept(s, NULL, NULL), "accept");
    close(other);
    close(c);
    close(s);
}
int main(int argc, char **argv)
{
    char here[4096], text[4096];
    pthread_t t;
    FILE *f = fopen(argv[1], "r+"); /* a file that exists, by its whole path */
    if (argc != 3 || !f || !fgets(text, sizeof text, f) || strcmp(text, "old\n") != 0)
        exit(6);
    rewind(f);
    fputs("new\n", f);
    fclose(f);
    must(open(argv[2], O_CREAT | O_EXCL | O_WRONLY, 0600), "O_EXCL");
    must(open("here", O_CREAT | O_EXCL | O_WRONLY, 0600), "here");
    must(shm_open("/heddle-test-world", O_CREAT | O_EXCL | O_RDWR, 0600), "shm_open");
    must(msgget(0x48454400, IPC_CREAT | IPC_EXCL | 0600), "msgget");
    struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 8};
    must(mq_open("/heddle-test-world", O_CREAT | O_EXCL | O_RDWR, 0600, &small), "mq_open");
    must(rmdir("empty"), "rmdir");
    must(mkdir("empty", 0700), "mkdir");
    serve();
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    if (!getcwd(here, sizeof here) || strcmp(here, getenv("WANTED")) != 0)
        exit(5);
    puts("alone");
    return 0;
}
EOF2
"$HEDDLE" cc -g -pthread -o alone alone.c -lrt
rm -f /tmp/heddle-test-world-excl /dev/shm/heddle-test-world
make_files() {
    echo old >"$1/data"
    mkdir "$1/empty"
}
everything() {
    unset TMPDIR
    export WANTED=$PWD
    excl=/tmp/heddle-test-world-excl
    "$@" check -- ./alone "$PWD/data" $excl | grep -o "no bug was found\|confirmed.*"
    "$@" run --policy random --runs 24 --jobs 4 -- ./alone "$PWD/data" $excl | awk '{print $1, $2, $3}'
    "$@" replay -q --times 3 alone.heddle/runs/last
    "$@" run --runs 4 --before-each 'echo old >data; echo was >before' \
        --oracle 'test -e here && grep -q was before && grep -q new data' \
        -- ./alone "$PWD/data" $excl | awk '{print $1, $2, $3}'
    cat data
    ls -d here before $excl /dev/shm/heddle-test-world /dev/mqueue/heddle-test-world 2>/dev/null || :
    ipcs -q | grep -c 0x48454400 || :
}
echo "== as we are"
make_files .
everything "$HEDDLE"
echo "== as somebody else"
if [ "$(id -u)" = 0 ]; then
    mkdir other
    cp alone other
    make_files other
    chown -R nobody:nogroup other
    chgrp root other # a group that is not known in a user namespace
    chmod a+x . ..
    cd other
    everything setpriv --reuid=nobody --regid=nogroup --clear-groups "$HEDDLE" >../said
    cd ..
else
    everything "$HEDDLE" >said
fi
cat said
echo "== nothing is left when heddle is killed"
cat >stays.c <<'EOF2'
#include <unistd.h>
int main(void)
{
    if (fork() == 0)
        setsid();
    for (;;)
        pause();
}
EOF2
gcc -o stays stays.c
cat >starts.c <<'EOF2'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    creat("/tmp/heddle-test-world-started", 0600);
    for (;;)
        if (fork() == 0)
            execl("./stays", "heddle-test-stays", (char *)0);
        else
            pause();
}
EOF2
"$HEDDLE" cc -g -o starts starts.c
"$HEDDLE" run --runs 2 -- ./starts >/dev/null 2>&1 &
killed=$!
disown
for i in $(seq 100); do
    pgrep -f '^heddle-test-stays' >/dev/null && break
    sleep 0.1
done
pgrep -f '^heddle-test-stays' >/dev/null || echo "it did not start"
kill -9 $killed
for i in $(seq 100); do
    pgrep -f '^heddle-test-stays' >/dev/null || break
    sleep 0.1
done
pgrep -f '^heddle-test-stays' || echo gone
ls /tmp/heddle-test-world-started 2>/dev/null || :
echo "== where worlds are not allowed: one after the other, and no word about what they share"
export HEDDLE_WORLD=copy
"$HEDDLE" doctor | grep -c '^note  worlds .*(HEDDLE_WORLD=copy)'
cat >ports.c <<'EOF2'
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(28462),
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(s, (struct sockaddr *)&a, sizeof a) < 0 || listen(s, 1) < 0)
        exit(7);
    connect(c, (struct sockaddr *)&a, sizeof a);
    close(accept(s, 0, 0));
    close(c);
    if (argc > 1 && open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
        exit(8);
    return 0;
}
EOF2
"$HEDDLE" cc -g -o ports ports.c
"$HEDDLE" run --runs 12 --jobs 4 -- ./ports | awk '{print $1, $2, $3}'
"$HEDDLE" check -- ./ports "$PWD/excl" >said 2>&1 || echo "exit $?"
grep -c confirmed said || :
unset HEDDLE_WORLD
echo "== a program that is not there is said to be, whoever speaks first"
for i in $(seq 40); do timeout 20 "$HEDDLE" check -- missing >/dev/null 2>&1 || echo $?; done | sort | uniq -c
