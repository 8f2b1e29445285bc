# What needs values: an assertion, a pointer, an index, a divisor and a race that only another
# schedule shows, each found from a run that passes and confirmed by a replay.
heddle() { "$HEDDLE" "$@"; }

check() {
  heddle check --no-explore --json "$@" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    print(f["pattern"], f["verdict"], f["harm"], sorted({s["line"] for s in f["sites"]})[0])' || true
}

echo "== an assertion"
cat > assertion.c <<'END'
#include <assert.h>
#include <pthread.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void add(int by, int times)
{
    pthread_mutex_lock(&m);
    x = (x + by) * times;
    pthread_mutex_unlock(&m);
}
static void *worker(void *arg)
{
    add(0, 2);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    add(1, 1);
    pthread_join(t, NULL);
    assert(x != WRONG);
    return 0;
}
END
heddle cc -DWRONG=1 assertion.c -o bug
heddle cc -DWRONG=3 assertion.c -o ok
echo bug; check -- ./bug
echo ok; check -- ./ok
echo "without values"; check --symbolic=off -- ./bug

echo "== a pointer, a divisor, an index"
cat > pointer.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *box, parts = 2, at = 1, total, table[4];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    box = NULL;
    parts -= 2;
    at += 4;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    int value = 7;
    box = &value;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    if (PARTS_OK)
        total = USE;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
END
for use in '*box' 'total / parts' 'table[at]'; do
  for ok in 1 'parts > 0'; do
    echo "$use if $ok"
    heddle cc "-DUSE=$use" "-DPARTS_OK=$ok" pointer.c -o pointer
    check -- ./pointer
  done
done

echo "== a race that a value seemed to exclude"
cat > race.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static int level, data;
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
    data = 1;
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
    if (have ENOUGH)
        printf("%d\n", data);
    pthread_join(t, NULL);
    return 0;
}
END
heddle cc '-DENOUGH=> 0' race.c -o race-bug
heddle cc '-DENOUGH=> 1' race.c -o race-ok
echo bug; check -- ./race-bug
echo ok; check -- ./race-ok

echo "== violations that change a value, and one that does not"
cat > values.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int mode = 4, turns;
static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    int now = mode;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    mode = now | 4;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int seen = turns;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    turns = seen + 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", mode, turns);
    return 0;
}
END
heddle cc values.c -o values
heddle check --no-explore --all -- ./values | grep -A1 '^atomicity\|^    values' | grep -v '^--'
heddle check --no-explore --json -- ./values | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    print(f["sites"][0]["line"], f["values"], f["harm"])'
heddle predict values.heddle/runs/last/trace 2>/dev/null | grep -o 'events.*'

echo "== in C++, with threads from lambdas"
cat > lambda.cpp <<'END'
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static int shown = 1;
static std::vector<int> numbers{3, 4};
int main()
{
    std::thread t([] {
        std::lock_guard<std::mutex> g(m);
        shown *= 3;
    });
    {
        std::lock_guard<std::mutex> g(m);
        shown += numbers[0];
    }
    t.join();
    assert(shown != WRONG);
}
END
for wrong in 6 7; do
  heddle c++ -DWRONG=$wrong lambda.cpp -o lambda
  check -- ./lambda
done

echo "== in a report"
heddle check --no-explore -- ./bug || echo "exit $?"

echo "== from a trace"
heddle predict bug.heddle/runs/last/trace --stats 2>&1 | grep 'symbolic:\|^assertion\|predicted' | sed 's| at most [0-9]* open orders, [0-9]* nodes,||; s|  *| |g'
cp bug.heddle/runs/last/trace alone
heddle predict alone 2>&1
heddle predict alone --symbolic=always 2>&1
mv bug gone
heddle predict bug.heddle/runs/last/trace 2>&1 | sed "s|$PWD|DIR|"
heddle predict alone --symbolic=sometimes 2>&1 || echo "exit $?"

echo "== a violation that does no harm, and the same one with values that do"
cat > second.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int v;
static void *adds(void *p)
{
    (void)p;
    for (int j = 0; j < 2; j++) {
        pthread_mutex_lock(&m);
        v += j;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, adds, 0);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        int old = v;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        v = old + i;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    assert(v == 2);
    return 0;
}
END
heddle cc -g second.c -o second
check -- ./second | grep atomicity
