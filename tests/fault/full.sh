# SPDX-License-Identifier: Apache-2.0
# A full disk, and a directory that cannot be written: one message, exit code 4, and what was recorded
# until then can be read.
unshare -rm true 2>/dev/null || { echo "may not mount anything here"; exit 77; }
cat >prog.c <<'E'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *arg)
{
    for (int i = 0; i < 50000; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return printf("%d\n", n) < 0;
}
E
"$HEDDLE" cc -O1 -pthread prog.c -o prog
cat >inner.sh <<'E'
set -eu
# try WORDS: a run; its exit code, what it printed, and what Heddle said, without numbers and directories
try() {
    local code=0
    timeout 60 "$HEDDLE" run "$@" -- ../prog >../out 2>../err || code=$?
    echo "$1: exit $code: $(cat ../out ../err | sed "s,$PWD/,,; s/[0-9]* bytes/N bytes/")"
}
# disk SIZE: on a small disk
disk() { mkdir -p disk && mount -t tmpfs -o "size=$1" tmpfs disk && cd disk; }
away() { cd .. && umount disk; }
disk 40m
for policy in random pos; do
    try --policy=$policy
    "$HEDDLE" trace dump prog.heddle/runs/last/trace >../full-$policy
done
away
echo "-- full before the run"
disk 300k && try --policy=random && ls prog.heddle/runs && away
echo "-- full while it runs: the trace, the schedule"
for words in "random 2m" "pos 1320k"; do
    set -- $words
    disk $2
    try --policy=$1
    "$HEDDLE" trace stat prog.heddle/runs/last/trace 2>../err | sed -n '2s/.*; //p'
    "$HEDDLE" trace dump prog.heddle/runs/last/trace 2>../err | sed '$d' >../part
    lines=$(wc -l <../part)
    head -n "$lines" ../full-$1 | cmp - ../part
    [ "$lines" -gt 50000 ] && echo "a long prefix"
    "$HEDDLE" trace dump prog.heddle/runs/last/schedule >../schedule
    cp -r prog.heddle ../kept
    away
    code=0
    timeout 60 "$HEDDLE" replay kept/runs/last >out 2>err || code=$?
    echo "replay: exit $code: $(cat out err)"
    rm -r kept
done
echo "-- read-only"
disk 40m && mount -o remount,ro "$PWD"
try --policy=random
try --runs=3
away
echo "-- a file in the way"
disk 40m && touch prog.heddle && try --policy=random && rm prog.heddle
mkdir prog.heddle && touch prog.heddle/runs && try --policy=random && away
E
unshare -rm bash inner.sh
