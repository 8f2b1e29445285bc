# SPDX-License-Identifier: Apache-2.0
# Why two lines are not reported: one reason after the other.
code() { "$@" || echo "exit $?"; }
cp "$HERE/why-not.c" .
"$HEDDLE" cc -g -pthread why-not.c -o prog
code "$HEDDLE" why-not why-not.c:1 why-not.c:2
"$HEDDLE" run -- ./prog >/dev/null
line() { grep -n "/\* $1 \*/" why-not.c | cut -d : -f 1; }
ask() { echo "== $1 $2"; code "$HEDDLE" why-not "why-not.c:$(line "$1")" "why-not.c:$(line "$2")"; }
ask locked unlocked
ask joined join
ask told awaited
ask publish published
ask passed pass
ask posted post
ask counter count
ask slot own
ask joined never
ask racing race
echo "== other places"
code "$HEDDLE" why-not "why-not.c:$(line join)" "why-not.c:$(line pass)"
code "$HEDDLE" why-not why-not.c:1 "why-not.c:$(line pass)"
code "$HEDDLE" why-not other.c:10 "why-not.c:$(line pass)"
code "$HEDDLE" why-not --dir prog.heddle --json "why-not.c:$(line locked)" "why-not.c:$(line unlocked)" |
    python3 -c 'import json, sys
w = json.load(sys.stdin)
for a in w["answers"]: print(w["finding"], a["reason"], a["pairs"], [e["line"] for e in a["events"]])'
"$HEDDLE" check --no-explore -- ./prog >/dev/null || echo "check: exit $?"
ask racing race
echo "== values"
cat >values.c <<'END'
#include <pthread.h>
#include <sched.h>
static int level, data, other;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void set(int to)
{
    pthread_mutex_lock(&m);
    level = to;
    pthread_mutex_unlock(&m);
}
static void *worker(void *arg)
{
    set(1);
    data = 1; /* line 14 */
    set(2);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pthread_mutex_lock(&m);
    int have = level;
    pthread_mutex_unlock(&m);
    if (have * 2 ENOUGH)
        other = data; /* line 27 */
    pthread_join(t, NULL);
    return 0;
}
END
for enough in '>= 1' '>= 3'; do
    "$HEDDLE" cc "-DENOUGH=$enough" values.c -o values
    "$HEDDLE" run -- ./values
    code "$HEDDLE" why-not --dir values.heddle values.c:14 values.c:27
done
code "$HEDDLE" why-not --symbolic=off --dir values.heddle values.c:14 values.c:27
echo "== mistakes"
code "$HEDDLE" why-not why-not.c:10
code "$HEDDLE" why-not why-not.c 10
code "$HEDDLE" why-not --dir nowhere.heddle why-not.c:10 why-not.c:11
echo "== another schedule"
cat >once.c <<'END'
#include <pthread.h>
static int is_made, table;
static void *use(void *arg)
{
    if (!is_made) {
        is_made = 1;
        table += 7;
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, use, NULL);
    pthread_create(&t[1], NULL, use, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return table < 7;
}
END
"$HEDDLE" cc -g -pthread once.c -o once
"$HEDDLE" check -- ./once >/dev/null || echo "check: exit $?"
code "$HEDDLE" why-not --dir once.heddle once.c:7 once.c:7 | sed 's/race-[0-9a-f]*/race/g'
code "$HEDDLE" why-not --dir once.heddle once.c:5 once.c:7
