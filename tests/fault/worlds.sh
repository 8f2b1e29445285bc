# SPDX-License-Identifier: Apache-2.0
# What can go wrong around the world of a run: one clear message each, the documented exit code, and nothing outside
# changes.
unshare -rm true 2>/dev/null || { echo "may not mount anything here"; exit 77; }
"$HEDDLE" doctor 2>&1 | grep -q '^ok *worlds' || exit 77
cat >prog.c <<'EOF2'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static int n;
static void *count(void *arg)
{
    int seen = n;
    n = seen + 1;
    return arg;
}
static int fill(void)
{
    static char block[1 << 20];
    int fd = open("filled", O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < 4096; i++)
        if (write(fd, block, sizeof block) != sizeof block)
            return 1;
    return 0;
}
static int map(void)
{
    int fd = open("mapped", O_CREAT | O_RDWR, 0600);
    size_t len = (size_t)4 << 30;
    char *p = ftruncate(fd, (off_t)len) ? MAP_FAILED : mmap(NULL, len, PROT_WRITE, MAP_SHARED, fd, 0);
    for (size_t i = 0; p != MAP_FAILED && i < len; i += 4096)
        p[i] = 1;
    return p == MAP_FAILED;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "fill") == 0 && fill())
        return 9;
    if (strcmp(how, "map") == 0 && map())
        return 9;
    if (strcmp(how, "hide") == 0 && chmod(".", 0) < 0)
        return 9;
    FILE *f = strcmp(how, "hide") ? fopen("result", "w") : NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/heddle-fault-worlds", getenv("HOME"));
    if (strcmp(how, "touch") == 0 && (open(path, O_CREAT | O_EXCL, 0600) < 0 ||
        open("/tmp/heddle-fault-worlds", O_CREAT | O_EXCL, 0600) < 0 ||
        shm_open("/heddle-fault-worlds", O_CREAT | O_EXCL | O_RDWR, 0600) < 0 ||
        symlink("elsewhere", "../link2") < 0 || unlink("../link") < 0))
        return 8;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (f)
        fclose(f);
    return n == 2 ? 0 : 5;
}
EOF2
mkdir -p old work
"$HEDDLE" cc -g -O1 -pthread prog.c -o old/prog
cp old/prog work/prog
ln -s work link
state() { # of everything that a run could reach, but for our own results
    { find . -name '*.heddle' -prune -o -name 'out' -prune -o -printf '%p %y %m %s %l\n' | sort
      find . -name '*.heddle' -prune -o -name 'out' -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
      ls -a "$HOME"; ls -d /tmp/heddle-fault-worlds /dev/shm/heddle-fault-worlds; } 2>/dev/null | sha256sum
}
try() { # DIRECTORY COMMAND ...: its exit code, and the line that says it all
    local code=0 where=$1
    shift
    (cd "$where" && timeout 300 "$@") >out 2>&1 || code=$?
    echo "exit $code: $(grep -o 'race on [^:]*\|heddle: .*\|not looked at: .*\|^fixed\|^broken\|^unknown' out | grep -v 'heddle: .*, [0-9]* s' | head -1 | sed "s,$PWD,TOP,g; s/[0-9]* bytes/N bytes/")"
}
mkdir home
export HOME=$PWD/home
before=$(state)
echo "== relative and absolute programs"
try work "$HEDDLE" check -- ./prog
try work "$HEDDLE" check -- ../old/prog
try work "$HEDDLE" check -- "$PWD/old/prog"
try link "$HEDDLE" check -- ../link/prog
try work "$HEDDLE" check -- ./prog touch
try work "$HEDDLE" verify --before ../old/prog --after ./prog
echo "== a target that fills its disk, by writing and through a mapping"
try work "$HEDDLE" check -- ./prog fill
try work "$HEDDLE" check -- ./prog map
echo "== a target that makes its directory unreadable"
mkdir hidden && cp work/prog hidden
if [ "$(id -u)" = 0 ]; then
    chown -R nobody hidden
    chmod a+x . ..
    try hidden setpriv --reuid=nobody --regid=nogroup --clear-groups "$HEDDLE" check -- ./prog hide
    try hidden setpriv --reuid=nobody --regid=nogroup --clear-groups env -u TMPDIR HEDDLE_WORLD=copy "$HEDDLE" check -- ./prog hide
else
    try hidden "$HEDDLE" check -- ./prog hide
    try hidden env HEDDLE_WORLD=copy "$HEDDLE" check -- ./prog hide
fi
rm -rf hidden
now=$(state)
echo "== nothing has changed: $([ "$now" = "$before" ] && echo right)"
echo "== mounts are refused"
gcc -O1 -DONLY_MOUNTS -o no-mounts "$HERE/no-namespaces.c"
./no-mounts "$HEDDLE" doctor 2>&1 | grep -o 'not here (.*)'
try work ../no-mounts "$HEDDLE" check -- ./prog
echo "== a directory that cannot be written"
try work unshare -rm sh -c "mount --bind . . && mount -o remount,ro,bind . && cd \$PWD && exec '$HEDDLE' check -- ./prog"
echo "== a small disk"
try work unshare -rm sh -c "cp prog ../p; mount -t tmpfs -o size=64k tmpfs . && cd \$PWD && exec '$HEDDLE' check -- ../p"
try work unshare -rm sh -c "mount -t tmpfs -o size=8m tmpfs . && cd \$PWD && exec '$HEDDLE' check -- ../p"
rm -f p no-mounts
echo "== a directory of 100,000 files"
mkdir many && cp old/prog many
(cd many && seq 100000 | xargs touch)
begin=$(date +%s)
try many "$HEDDLE" check -- ./prog
[ $(($(date +%s) - begin)) -lt 60 ] && echo "in time"
try many env HEDDLE_WORLD=copy "$HEDDLE" check -- ./prog
rm -rf many
now=$(state)
echo "== nothing has changed: $([ "$now" = "$before" ] && echo right)"
