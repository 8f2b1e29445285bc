# SPDX-License-Identifier: Apache-2.0
# Accesses that are looked at together (-O1) leave the same trace and the same steps as those that are
# calls (-O0): whatever of an object is shared, wherever a thread is interrupted.
cat >prog.c <<'END'
#include <pthread.h>
#include <stdio.h>
struct part { long a, b, c; int d, e; short f; char g, h; double i; struct part *next; };
static struct part all[4], one;
static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Reads and writes of one object, in a row; of all that is shared, some or nothing. */
static long turn(struct part *p, int k)
{
    p->a += p->b + p->c;
    p->d = p->e + (int)p->f + k;
    p->g++;
    p->h = (char)(p->g + p->d);
    p->i = p->i / 2 + p->d;
    long *at = &p->b;
    at[0] += at[-1] + at[1];
    if (p->next && p->next->d > p->d)
        p->next->c = p->d;
    return p->a ^ p->b;
}

static void *work(void *arg)
{
    struct part own = {.b = 1, .next = &one};
    long id = (long)arg, mine = 0;
    for (int k = 0; k < 40; k++) {
        mine += turn(&own, k);
        mine += turn(&all[id], k);
        if (k % 4 == 0)
            mine += turn(&one, k);
        if (k % 8 == 1)
            mine += turn(all[(id + 1) % 4].next, k); /* another thread's, in part */
        char *bytes = (char *)&own + 1;              /* not aligned */
        long odd = *(long *)bytes + *(long *)(bytes + 8) + *(long *)(bytes + 16);
        pthread_mutex_lock(&lock);
        sum += odd & 1;
        pthread_mutex_unlock(&lock);
    }
    return (void *)mine;
}

int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        all[i] = (struct part){.c = i, .next = &all[(i + 2) % 4]};
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return printf("%ld\n", sum) < 0;
}
END
fixed="setarch -R"
$fixed true 2>/dev/null || exit 77
# Step 1 of heddle cc is the same for both; only what the hooks are made of differs.
"$HEDDLE" cc -O1 -g -fno-inline -fno-strict-aliasing -pthread prog.c -o fast
"$HEDDLE" cc -O0 -g -fno-inline -fno-strict-aliasing -pthread prog.c -o slow
llvm-objdump-19 -d --no-show-raw-insn fast >code
grep -q 'call.*<__heddle_read8_seen>' code || echo "accesses are calls"
grep -q 'call.*<__heddle_read8>' code || echo "each access is looked at alone"
# Addresses on stacks and in the code differ between the two; names and steps do not.
dump() # directory
{
    "$HEDDLE" trace dump "$1/trace" | grep '^T' | sed 's/0x[0-9a-f]*/ADDRESS/g; s/value [0-9]\{10,\}/value LONG/'
}
both() # settings
{
    rm -rf a b
    mkdir a b
    HEDDLE_RT="dir=a:$1" $fixed ./fast >/dev/null
    HEDDLE_RT="dir=b:$1" $fixed ./slow >/dev/null
    dump a >a.text
    dump b >b.text
    cmp a.text b.text || { diff a.text b.text | head -5; return; }
    cmp a/schedule b/schedule && echo "$1: the same"
}
for seed in 1 2 3; do
    both "policy=random:seed=$seed:switch=5:budget=0"
done
both policy=fifo:budget=0
both policy=rr:switch=3:budget=0
both policy=pct:seed=4:budget=0
both policy=random:seed=6
