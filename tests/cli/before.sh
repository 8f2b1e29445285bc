# SPDX-License-Identifier: Apache-2.0
# `heddle run` changes the real world, and keeps what there was before. What starts from that run
# later starts from there: a program that can run only once in a directory is checked all the
# same, and nothing outside changes any more.
cat >once.c <<'EOF2'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
static void must(int result, const char *what)
{
    if (result >= 0)
        return;
    perror(what);
    exit(7);
}
static void expect(const char *path, const char *wanted)
{
    char text[100] = "";
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, sizeof text, f) || strcmp(text, wanted) != 0) {
        fprintf(stderr, "%s: %s", path, text);
        exit(6);
    }
    fclose(f);
}
static void change(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    must(f ? 0 : -1, path);
    fputs(text, f);
    fclose(f);
}
static void change_files(void)
{
    struct stat st;
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
    char link[100] = "", made[] = "made-XXXXXX";
    must(open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600), "lock");
    expect("config", "old\n");
    change("config", "new\n");
    change("config", "newer\n");
    must(unlink("gone"), "gone");
    must(rmdir("empty"), "empty");
    expect("a/x", "x\n");
    must(rename("a", "b"), "a");
    change("b/x", "changed\n");
    must(mkdir("a", 0700), "a, anew");
    change("a/x", "another\n");
    must(rename("one", "two"), "one");
    must((int)readlink("link", link, sizeof link - 1), "link");
    must(strcmp(link, "config") == 0 ? 0 : -1, "where the link leads");
    must(unlink("link"), "link");
    must(symlink("elsewhere", "link"), "link, anew");
    must(stat("mode", &st), "mode");
    must((st.st_mode & 0777) == 0640 ? 0 : -1, "what mode it has");
    must(chmod("mode", 0600), "mode");
    must(truncate("long", 1), "long");
    must(mkfifo("pipe", 0600), "pipe");
    must(bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof a), "socket");
    must(mkdtemp(made) ? 0 : -1, "mkdtemp");
}
static void change_elsewhere(const char *path)
{
    must(open(path, O_CREAT | O_EXCL | O_WRONLY, 0600), "a whole path");
    must(shm_open("/heddle-test-before", O_CREAT | O_EXCL | O_RDWR, 0600), "shm_open");
    must(sem_open("/heddle-test-before", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED ? -1 : 0, "sem_open");
}
static int count;
static void *add(void *arg)
{
    int seen = count;
    count = seen + 1;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    change_files();
    if (argc > 1)
        change_elsewhere(argv[1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 2);
    return 0;
}
EOF2
"$HEDDLE" cc -g -O1 -pthread -lrt once.c -o once
prepare() {
    rm -rf "$1" && mkdir "$1" && cp once "$1" && cd "$1"
    echo old >config && echo gone >gone && mkdir empty a && echo x >a/x && echo 1 >one && echo 2 >two
    ln -s config link && echo m >mode && chmod 640 mode && echo 12345 >long
}
tree() {
    find . -path ./once.heddle -prune -o -printf '%p %y %m %l\n' | sort
    find . -path ./once.heddle -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
}
told() { # findings, or how runs failed
    python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
for f in report.get("findings", []): print(f["pattern"], f["verdict"], f.get("harm"))
for f in report.get("failures", []): print(f["outcome"].split(" ")[0])' "$1" | sort -u
}
commands() {
    tree >../left
    "$HEDDLE" check --json -- ./once "$@" >../check.json 2>../check.err || echo "check: exit $?"
    grep -q 'as they were before once.heddle/runs/last' ../check.err
    told ../check.json
    "$HEDDLE" causes --runs 60 --json -- ./once "$@" >../causes.json 2>/dev/null || echo "causes: exit $?"
    told ../causes.json
    "$HEDDLE" replay once.heddle/runs/1 >/dev/null 2>../replay.err && echo "replay: exit 0"
    witness=$(ls once.heddle/witnesses/*.witness | head -1)
    "$HEDDLE" replay "$witness" >/dev/null 2>../replay.err || :
    grep -o 'the witness was followed to its end' ../replay.err
    "$HEDDLE" run --policy random --runs 30 -- ./once "$@" 2>/dev/null | cut -c1-12 | sort || :
    tree | cmp - ../left && echo "nothing else has changed"
    cd ..
}
echo "worlds:"
prepare worlds
elsewhere=$PWD/../elsewhere
"$HEDDLE" run -- ./once "$elsewhere" && ls -F b link lock two
commands "$elsewhere"
ls elsewhere /dev/shm/heddle-test-before /dev/shm/sem.heddle-test-before | sed 's,.*/,,'
rm elsewhere /dev/shm/heddle-test-before /dev/shm/sem.heddle-test-before
echo "copies:"
export HEDDLE_WORLD=copy
prepare copies
"$HEDDLE" run -- ./once && ls -F b link lock two
commands
echo "somebody was there since:"
cd copies
echo old >config
"$HEDDLE" check -- ./once >../since.out 2>../since.err || echo "check: exit $?"
grep -c 'as they were before' ../since.err || :
