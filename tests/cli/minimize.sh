# SPDX-License-Identifier: Apache-2.0
# A failing run with as few switches as possible, each with its reason; and what cannot be done.
cat >pop.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
struct node {
    struct node *next;
    int taken;
};
static struct node nodes[60], *head;
static void *pop(void *arg)
{
    for (int i = 0; i < 20; i++) {
        struct node *n = head;
        if (!n)
            break;
        head = n->next;
        n->taken++;
        assert(n->taken == 1);
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 60; i++) {
        nodes[i].next = head;
        head = &nodes[i];
    }
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, pop, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
cat >locks.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *forth(void *arg)
{
    for (int i = 0; i < 30; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        done++;
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return arg;
}
static void *back(void *arg)
{
    for (int i = 0; i < 30; i++) {
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a);
        done++;
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, forth, NULL);
    pthread_create(&t[1], NULL, back, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
cat >wakeup.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *wait_for_it(void *arg)
{
    if (!ready) {
        pthread_mutex_lock(&m);
        pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
static void *wake(void *arg)
{
    ready = 1;
    pthread_cond_signal(&c);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, wait_for_it, NULL);
    pthread_create(&t[1], NULL, wake, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
for p in pop locks wakeup; do
    echo "-- $p"
    "$HEDDLE" cc -g -pthread -o $p $p.c
    "$HEDDLE" run --policy rr --until fail --runs 1 -- ./$p >table || true
    for seed in $(seq 100); do
        "$HEDDLE" run --policy random --seed "$seed" --runs 1 -- ./$p >table || break
    done
    "$HEDDLE" minimize $p.heddle/runs/last >said
    # which threads take part and how many switches it takes is up to the steps the compiler makes
    sed 's/needs [0-9]* of [0-9]* switches ([0-9]* runs)/N switches/; s/T[0-9]/T/g; s/^[0-9]/N/; s/for [ab] at/for L at/; s/locks.c:[0-9]*/locks.c:N/g' said |
        grep -v ^replay | head -2
    eval "$(sed -n 's/^replay: heddle/"$HEDDLE"/p' said)" >/dev/null 2>again || true
    tail -1 again | cut -c1-2
done
echo "-- a check of the user"
cat >order.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *say(void *text)
{
    puts(text);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, say, "first");
    pthread_create(&t[1], NULL, say, "second");
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
"$HEDDLE" cc -g -pthread -o order order.c
for seed in $(seq 100); do
    "$HEDDLE" run --policy random --seed "$seed" --runs 1 --oracle 'sed -n "1s/first/first/p" | grep -q first' -- ./order >table || break
done
"$HEDDLE" minimize order.heddle/runs/last || echo "exit $?"
"$HEDDLE" minimize order.heddle/runs/last -o smaller --oracle 'sed -n "1s/first/first/p" | grep -q first' |
    sed 's/of [0-9]* switches ([0-9]* runs)/of N switches/'
ls smaller
echo "-- nothing to do"
"$HEDDLE" run -- ./order >/dev/null
"$HEDDLE" minimize order.heddle/runs/last || echo "exit $?"
"$HEDDLE" minimize nowhere || echo "exit $?"
"$HEDDLE" minimize || echo "exit $?"
