/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline assembly as real programs spell it: what comes out must be the same, whether the
 * processor ran it or the compiler was told what it means. */
#include <stdint.h>
#include <stdio.h>

typedef uint64_t u64;
static u64 seed = 88172645463325252u;
static u64 next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static u64 word[4] __attribute__((aligned(16)));
static unsigned char *const byte = (unsigned char *)word;

static void show(const char *name, u64 result)
{
    printf("%s %llx: %llx %llx %llx\n", name, (unsigned long long)result,
           (unsigned long long)word[0], (unsigned long long)word[1],
           (unsigned long long)word[2]);
}

/* ---- exchanges ---- */
#define FAMILY(bits, suffix, type)                                                         \
    static type cas##bits(type *p, type old, type new)                                     \
    {                                                                                      \
        type seen;                                                                         \
        __asm__ __volatile__("lock; cmpxchg" suffix " %2, %1"                              \
                             : "=a"(seen), "+m"(*p)                                        \
                             : "q"(new), "0"(old)                                          \
                             : "memory", "cc");                                            \
        return seen;                                                                       \
    }                                                                                      \
    static type swap##bits(type *p, type value)                                            \
    {                                                                                      \
        __asm__ __volatile__("xchg" suffix " %0,%1" : "+q"(value), "+m"(*p) : : "memory"); \
        return value;                                                                      \
    }                                                                                      \
    static type xadd##bits(type *p, type value)                                            \
    {                                                                                      \
        __asm__ __volatile__("lock\n\txadd" suffix "\t%0,%1"                               \
                             : "=q"(value), "=m"(*p)                                       \
                             : "0"(value), "m"(*p)                                         \
                             : "memory", "cc");                                            \
        return value;                                                                      \
    }                                                                                      \
    static void change##bits(type *p, type value)                                          \
    {                                                                                      \
        __asm__ __volatile__("lock; add" suffix " %1,%0" : "+m"(*p) : "q"(value));         \
        __asm__ __volatile__("lock ; xor" suffix " %1,%0" : "+m"(*p) : "q"(value));        \
        __asm__ __volatile__("lock or" suffix " %1, %0" : "+m"(*p) : "iq"((type)5));       \
        __asm__ __volatile__("lock\n sub" suffix " %1, %0" : "+m"(*p) : "q"(value));       \
        __asm__ __volatile__("lock; and" suffix " %1, %0" : "+m"(*p) : "q"((type)~64));    \
        __asm__ __volatile__("lock; inc" suffix " %0" : "+m"(*p) : : "memory");            \
        __asm__ __volatile__("lock; not" suffix " %0" : "+m"(*p) : : "memory");            \
        __asm__ __volatile__("dec" suffix " %0" : "+m"(*p) : : "memory");                  \
    }                                                                                      \
    static void family##bits(void)                                                         \
    {                                                                                      \
        type *p = (type *)word, new = (type)next(), was = *p;                              \
        show("cas" #bits, cas##bits(p, (type)(was + 1), new));                             \
        show("cas" #bits, cas##bits(p, was, new));                                         \
        show("swap" #bits, swap##bits(p, (type)next()));                                   \
        show("xadd" #bits, xadd##bits(p, (type)next()));                                   \
        change##bits(p, (type)next());                                                     \
        show("change" #bits, 0);                                                           \
    }
FAMILY(8, "b", uint8_t)
FAMILY(16, "w", uint16_t)
FAMILY(32, "l", uint32_t)
FAMILY(64, "q", uint64_t)

/* ---- flags ---- */
static unsigned char cas_set(u64 *p, u64 old, u64 new)
{
    unsigned char done;
    __asm__ __volatile__("lock; cmpxchgq %4, %0;"
                         "sete %1;"
                         : "=m"(*p), "=a"(done)
                         : "m"(*p), "a"(old), "r"(new)
                         : "memory");
    return done;
}

static int cas_output(u64 *p, u64 *old, u64 new)
{
    int done;
    __asm__ __volatile__("lock cmpxchg %3, %0"
                         : "+m"(*p), "=@ccz"(done), "+a"(*old)
                         : "r"(new)
                         : "memory");
    return done;
}

static void flags(int32_t *p)
{
    unsigned char zero, carry, sign;
    __asm__ __volatile__("lock; decl %0; setz %1" : "+m"(*p), "=qm"(zero) : : "memory", "cc");
    show("dec", zero);
    __asm__ __volatile__("lock; addl %3,%0; setc %1; sets %2"
                         : "+m"(*p), "=q"(carry), "=q"(sign)
                         : "ir"(0x7fffffff)
                         : "memory", "cc");
    show("add", carry * 2 + sign);
    __asm__ __volatile__("lock; subl %2,%0; setnc %1"
                         : "+m"(*p), "=q"(carry)
                         : "r"((int)next())
                         : "cc");
    show("sub", carry);
    __asm__ __volatile__("lock; incl %0; setne %1" : "+m"(*p), "=q"(zero) : : "cc");
    show("inc", zero);
}

/* ---- bits ---- */
static int bit_test_and_set(long nr, void *p)
{
    int was;
    __asm__ __volatile__("lock; btsq %2,%1\n\tsbbl %0,%0"
                         : "=r"(was), "+m"(*(long *)p)
                         : "Ir"(nr)
                         : "memory");
    return was;
}

static void bits(void)
{
    unsigned char was;
    long nr = (long)(next() % 192);
    show("bts", bit_test_and_set(nr, word));
    show("bts", bit_test_and_set(nr, word));
    __asm__ __volatile__("lock btrl %2, %0; setc %1"
                         : "+m"(word), "=qm"(was)
                         : "r"((int)nr)
                         : "memory", "cc");
    show("btr", was);
    __asm__ __volatile__("lock btcl %2, %0; setb %1"
                         : "+m"(word), "=q"(was)
                         : "i"(9)
                         : "memory", "cc");
    show("btc", was);
}

/* ---- two words ---- */
static void wide(void)
{
    u64 expected[2] = {word[0], word[1] + (next() & 1)}, low, high;
    unsigned char done;
    __asm__ __volatile__("movq 0(%4), %%rax;"
                         "movq 8(%4), %%rdx;"
                         "lock cmpxchg16b %0; setz %1;"
                         : "+m"(*word), "=q"(done)
                         : "b"(next()), "c"(next()), "q"(expected)
                         : "memory", "cc", "%rax", "%rdx");
    show("wide", done);
    __asm__ __volatile__("movq %%rdx, %%rcx;"
                         "movq %%rax, %%rbx;"
                         "lock cmpxchg16b %2;"
                         : "=a"(low), "=d"(high)
                         : "m"(*word), "0"((u64)1), "1"((u64)2)
                         : "rbx", "rcx", "memory", "cc");
    show("wide", low ^ high);
}
static void eight(void)
{
    uint32_t low = (uint32_t)word[0], high = (uint32_t)(word[0] >> 32);
    char done;
    __asm__ __volatile__("lock; cmpxchg8b %0; sete %1"
                         : "+m"(*word), "=q"(done), "+a"(low), "+d"(high)
                         : "b"((uint32_t)next()), "c"((uint32_t)next())
                         : "memory", "cc");
    show("eight", done);
    __asm__ __volatile__("lock; cmpxchg8b %0; sete %1"
                         : "+m"(*word), "=q"(done), "+a"(low), "+d"(high)
                         : "b"((uint32_t)next()), "c"((uint32_t)next())
                         : "memory", "cc");
    show("eight", low + done + high);
}

/* ---- loads, stores, addresses in registers ---- */
static void moves(void)
{
    uint64_t value;
    uint32_t half;
    __asm__ __volatile__("movq %1, %0" : "=r"(value) : "m"(word[1]) : "memory");
    show("load", value);
    __asm__ __volatile__("mov %1, %0" : "=m"(word[2]) : "r"(value * 3) : "memory");
    __asm__ __volatile__("movb $7, %0" : "=m"(byte[3]));
    __asm__ __volatile__("movl %k1, 4(%0)" : : "r"(word), "r"(value) : "memory");
    show("store", 0);
    __asm__ __volatile__("movl 8(%1), %0" : "=r"(half) : "r"(word) : "memory");
    show("half", half);
    __asm__ __volatile__("lock; xaddl %0, (%1)" : "+r"(half) : "r"(&word[1]) : "memory", "cc");
    show("at", half);
    __asm__ __volatile__("movl 8+%1, %0" : "=r"(half) : "o"(word[0]));
    show("behind", half);
    __asm__("movq %1, %0; shrq $5, %0; xorq %1, %0; movb $1, %b0" : "=&r"(value) : "r"(value));
    show("registers", value);
}

/* ---- what orders, and what waits ---- */
static void fences(void)
{
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("sfence; lfence" ::: "memory");
    __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    __asm__ __volatile__("lock; orl $0x0, (%%rsp)" ::: "memory", "cc");
    __asm__ __volatile__("" ::: "memory");
    __asm__ __volatile__("pause" ::: "memory");
    __asm__ __volatile__("rep; nop");
    __asm__ __volatile__("rep nop" ::: "memory");
    __asm__ __volatile__(".byte 0xf3, 0x90");
    __builtin_ia32_pause();
    __asm__ __volatile__("prefetcht0 %0" : : "m"(word[0]) : "memory");
    __asm__ __volatile__(
        "rolq $3, %%rdi ; rolq $13, %%rdi\n\trolq $61, %%rdi ; rolq $51, %%rdi\n\t"
        "xchgq %%rbx,%%rbx"
        :
        :
        : "cc", "memory");
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 3; k++)
            word[k] = next();
        family8();
        family16();
        family32();
        family64();
        u64 old = word[0];
        show("set", cas_set(word, word[0], next()));
        show("output", cas_output(word, &old, next()));
        show("output", cas_output(word, &old, next()) + (int)old);
        flags((int32_t *)&word[i % 3]);
        *(int32_t *)word = 1;
        flags((int32_t *)word);
        bits();
        wide();
        eight();
        moves();
        fences();
    }
    return 0;
}
