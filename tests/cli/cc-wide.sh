# Accesses that are no single value: the library of atomics, masked vectors, arrays of variable
# length, and inline assembly, which is named because nobody can see into it.
cat > big.c << 'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
struct big {
    long a, b, c;
};
static _Atomic struct big triple;
static _Atomic __int128 wide;
static void *run(void *arg)
{
    for (int i = 0; i < 20; i++) {
        struct big old = atomic_load(&triple), new;
        do
            new = (struct big){old.a + 1, old.b + 2, old.c + 3};
        while (!atomic_compare_exchange_weak(&triple, &old, new));
        atomic_fetch_add(&wide, (__int128)1 << 64);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    atomic_store(&triple, ((struct big){1, 1, 1}));
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    struct big last = atomic_exchange(&triple, ((struct big){0, 0, 0}));
    printf("%ld %ld %ld %ld\n", last.a, last.b, last.c, (long)(wide >> 64));
    return 0;
}
END
"$HEDDLE" cc -O1 -w -pthread big.c -latomic -o big
for policy in "fifo" "random --seed 1"; do
    "$HEDDLE" run --policy $policy -- ./big
    "$HEDDLE" replay big.heddle/runs/last
done
# A successful exchange wants what the next operation sees: the values are those of all bytes.
"$HEDDLE" trace dump big.heddle/runs/last/trace > dump
grep -oE '(load|store|rmw|cas) (triple:24|wide:16)' dump | sort | uniq -c | sed 's/ *[0-9]* cas/many cas/'
awk '/ (load|cas|rmw) triple:24/ { if (last != "" && $4 != last) print "gap:", $0 }
     / (store) triple:24/ { last = $4 }
     / (cas|rmw) triple:24/ && !/failed/ { last = $6 }' dump
# Which lanes are touched depends on the mask, so there is a hook of its own.
cat > lanes.c << 'END'
typedef int many __attribute__((vector_size(64)));
#include <immintrin.h>
int from[16], to[16], *far[8];
__attribute__((target("avx512f"))) void run(__mmask16 mask)
{
    __m512i x = _mm512_maskz_loadu_epi32(mask, from);
    _mm512_mask_storeu_epi32(to, mask, x);
    _mm512_mask_compressstoreu_epi32(to, mask, x);
}
END
"$HEDDLE" cc -O1 -w --heddle-list-sites lanes.c | cut -f 3-4 | grep masked
"$HEDDLE" cc -O2 -w -c lanes.c && nm lanes.o | grep -o '__heddle_.*_lanes'
# Arrays of variable length end with their block.
cat > array.c << 'END'
#include <pthread.h>
static void *run(void *arg)
{
    *(int *)arg = 1;
    return 0;
}
int main(int argc, char **argv)
{
    for (int i = 1; i < 4; i++) {
        int array[i + argc];
        pthread_t t;
        pthread_create(&t, 0, run, array);
        pthread_join(t, 0);
    }
    return 0;
}
END
"$HEDDLE" cc -O1 -pthread array.c -o array && "$HEDDLE" run -- ./array
"$HEDDLE" trace dump array.heddle/runs/last/trace | grep -oE 'T0 stack-(enter|leave)' | sort | uniq -c | sed 's/^ *//'
cat > unseen.c << 'END'
static long x;
int main(void)
{
    int old = 1;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("pause" ::: "memory");
    for (int i = 0; i < 3; i++)
        __asm__ volatile("pushq %0; popq %0" : "+m"(x) : "r"(old) : "memory");
    return x != 0;
}
END
"$HEDDLE" cc -O1 unseen.c -o unseen && "$HEDDLE" run -- ./unseen
