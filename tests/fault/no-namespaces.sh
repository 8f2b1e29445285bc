# SPDX-License-Identifier: Apache-2.0
# Where namespaces are forbidden runs work in copies: paths from the root lead into the copy, what cannot be put back is
# undecided with its reason, and nothing wrong is confirmed. `heddle doctor` says so.
gcc -O1 -o no-namespaces "$HERE/no-namespaces.c"
./no-namespaces true || { echo "no filter of system calls here"; exit 77; }
! ./no-namespaces unshare -r true 2>/dev/null
cat >heddle <<EOF2
#!/bin/sh
exec $PWD/no-namespaces "$HEDDLE" "\$@"
EOF2
chmod +x heddle
./heddle doctor 2>&1 | sed -n 's/^note  worlds *//p'
cat >paths.c <<'EOF2'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *count(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
static void must(int holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    exit(7);
}
int main(int argc, char **argv)
{
    char here[4096], path[5000];
    struct stat st;
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    pthread_t t[2];
    must(getcwd(here, sizeof here) && strcmp(here, argv[1]) == 0, "where we are");
    snprintf(path, sizeof path, "%s/only-once", here);
    must(open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0, "O_EXCL");
    must(stat("only-once", &st) == 0, "the same by its name");
    snprintf(path, sizeof path, "%s/inner", here);
    must(mkdir(path, 0700) == 0, "mkdir");
    snprintf(path, sizeof path, "%s/../%s/inner/file", here, strrchr(here, '/') + 1);
    FILE *f = fopen(path, "w");
    must(f && fputs("text", f) >= 0 && fclose(f) == 0, "a path with dots");
    must(rename(path, "inner/renamed") == 0, "rename");
    char *whole = realpath("inner/renamed", NULL);
    must(whole && strncmp(whole, here, strlen(here)) == 0, "realpath");
    snprintf(a.sun_path, sizeof a.sun_path, "%s", "socket");
    int s = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0);
    must(bind(s, (struct sockaddr *)&a, sizeof a) == 0 && listen(s, 1) == 0, "bind");
    if (strlen(here) + 8 < sizeof a.sun_path)
        snprintf(a.sun_path, sizeof a.sun_path, "%.90s/socket", here);
    must(connect(c, (struct sockaddr *)&a, sizeof a) == 0, "connect");
    if (argc > 2) {
        f = fopen(argv[2], "r");
        must(!f, "it is there"); /* left by another run */
        f = fopen(argv[2], "w");
        must(f && fclose(f) == 0, argv[2]);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n != 2;
}
EOF2
mkdir work && cp paths.c work && cd work
../heddle cc -g -O1 -pthread paths.c -o paths
echo "== paths from the root"
../heddle check -- ./paths "$PWD" | head -1 | sed "s,$PWD,DIRECTORY,"
../heddle run --policy random --runs 10 -- ./paths "$PWD" | awk '{print $1, $2, $3}'
ls
echo "== what is written elsewhere is not put back"
elsewhere=$(mktemp -u)
../heddle check -- ./paths "$PWD" "$elsewhere" 2>&1 | sed "s,$elsewhere,ELSEWHERE,; s,$PWD,DIRECTORY,; /^looked at/d"
rm -f "$elsewhere"
../heddle run --policy random --runs 5 -- ./paths "$PWD" "$elsewhere" | awk '{print $1, $2, $3}'
rm -f "$elsewhere"
cd ..
echo "== nothing wrong is confirmed"
HEDDLE=$PWD/heddle "$TOP/tests/cases/world-check" --jobs 1 --careful tcp-port eventfd-loop.ok flock-file excl-lock shm-counter unix-path.ok \
    file-message.ok mkstemp-name pid-file.ok rename-content.ok sysv-message.ok fork-reap.ok
