# SPDX-License-Identifier: Apache-2.0
# A sequence lock of assembly, as kernels write it: the fields are written plainly between its two steps. The
# compiler keeps that order, and so does x86, but C11 sees a race and says nothing about what comes behind it: what
# atomics could do there is no failure. With the sequence counted too late it is one, in turns.
cat > sequence.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct pair {
    unsigned a, b;
};
static struct pair now;
static unsigned sequence, started;
static unsigned get(const unsigned *at)
{
    unsigned value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*at) : "memory");
    return value;
}
static void set(unsigned *at, unsigned value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*at) : "r"(value) : "memory");
}
static void step(void)
{
    __asm__ volatile("" ::: "memory");
    set(&sequence, sequence + 1);
    __asm__ volatile("" ::: "memory");
}
static void *look(void *unused)
{
    for (int i = 0; i < 2; i++) {
        unsigned before, a, b;
        do {
            while ((before = get(&sequence)) & 1)
                ;
            a = get(&now.a);
            b = get(&now.b);
        } while (get(&sequence) != before);
        if (a != b)
            exit(1);
    }
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, look, 0);
    set(&started, 1);
    for (unsigned i = 1; i < 4; i++) {
#ifndef LATE
        step();
#endif
        now.a = i;
        now.b = i;
#ifdef LATE
        step();
#endif
        step();
    }
    pthread_join(t, 0);
    return 0;
}
END
"$HEDDLE" cc -g -O1 sequence.c -o right && "$HEDDLE" cc -g -O1 -DLATE sequence.c -o late
"$HEDDLE" run --weak=x86 --policy random --runs 40 -- ./right | grep -o '^exit.* [0-9]* '
for p in right late; do
    echo "== $p"
    "$HEDDLE" check --json -- ./$p | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["shown"]:
        print(f["pattern"], f["harm"] if f["pattern"] == "failure" else "")' | sort -u
done
