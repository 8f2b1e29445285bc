/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that an optimiser loves to merge, move or remove. */
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int f;
    struct node *next;
};

int value, x, cur, flag = 1;
struct node *p;
static jmp_buf env;

static void lost_update(void)
{
    value++;
    if (value != x + 1)
        abort();
}

static void twice(void)
{
    ++cur;
    ++cur;
}

static int guarded(void)
{
    return p && p->f;
}

static void spin(void)
{
    while (!flag)
        ;
}

static void dead(void)
{
    int unused = value;
    value = 5;
    value = 6;
    (void)unused;
}

static __attribute__((pure, noinline)) int pure(void)
{
    return value;
}

static void jump(int depth)
{
    if (depth == 0)
        longjmp(env, 1);
    jump(depth - 1);
}

static int text(char *to)
{
    strcpy(to, "abc");
    strcat(to, "def");
    return strcmp(to, "abx") + (int)strlen(to);
}

static void atomics(void)
{
    static _Atomic int a;
    static _Atomic double d;
    int expected = 3;
    atomic_store_explicit(&a, 1, memory_order_release);
    atomic_fetch_add_explicit(&a, 2, memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&a, &expected, 9, memory_order_acq_rel,
                                            memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&a, &expected, 8, memory_order_seq_cst,
                                            memory_order_acquire);
    atomic_thread_fence(memory_order_acquire);
    __atomic_fetch_nand(&value, 3, __ATOMIC_ACQUIRE);
    d += 1.5;
    (void)atomic_load_explicit(&a, memory_order_acquire);
}

int main(void)
{
    struct node one = {.f = 1};
    char buf[16];
    lost_update();
    twice();
    p = &one;
    int sum = guarded();
    spin();
    dead();
    sum += pure() + pure();
    if (!setjmp(env))
        jump(3);
    sum += text(buf);
    atomics();
    printf("%d\n", sum);
    return 0;
}
