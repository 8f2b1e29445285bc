# SPDX-License-Identifier: Apache-2.0
# Instructions that ask the processor for the time, chance or its own number give the same in a
# replay; where that cannot be, the run names them.
cat > prog.c << 'END'
#include <x86intrin.h>
#include <cpuid.h>
#include <pthread.h>
#include <stdio.h>
static unsigned long long sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long stamp(void)
{
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}
static unsigned long long shifted(void)
{
    unsigned long long value;
    __asm__ volatile("rdtsc; shlq $32, %%rdx; orq %%rdx, %0" : "=a"(value) : : "rdx", "cc");
    return value;
}
__attribute__((target("rdrnd"))) static unsigned long long chance(void)
{
    unsigned long long value = 0, other = 0;
    unsigned char ok;
    _rdrand64_step(&value);
    __asm__ volatile("rdrand %0; setc %1" : "=r"(other), "=qm"(ok) : : "cc");
    return value * 3 + other + ok;
}
static void *work(void *arg)
{
    unsigned a, b, c, d, aux;
    unsigned long long first = stamp(), mine = first;
    for (int i = 0; i < 50; i++)
        mine = mine * 31 + stamp() + shifted() + __rdtsc() + __rdtscp(&aux) + aux;
    __cpuid(1, a, b, c, d);
    pthread_mutex_lock(&m);
    sum = sum * 31 + mine + chance() + b + (stamp() > first);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < (int)(sum % 7); i++)
        pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
    printf("%llx\n", sum);
    return 0;
}
END
"$HEDDLE" cc -O1 -w -pthread prog.c -o prog
for policy in "fifo" "random --seed 3"; do
    "$HEDDLE" run --policy $policy -- ./prog > first
    "$HEDDLE" replay prog.heddle/runs/last > second
    cmp first second
done
cat > named.c << 'END'
int main(void)
{
    unsigned long long value;
    __asm__ volatile("rdtsc" : "=A"(value));
    return (int)(value & 0);
}
END
"$HEDDLE" cc -O1 -w named.c -o named
"$HEDDLE" run -- ./named
