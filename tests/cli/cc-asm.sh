# SPDX-License-Identifier: Apache-2.0
# Inline assembly: what is understood gives the same as the processor does, in every spelling, and
# is instrumented as what it means. The rest is named when it runs.
for level in -O0 -O2; do
    cc -w $level "$HERE/cc-asm.c" -o native
    "$HEDDLE" cc -w $level "$HERE/cc-asm.c" -o prog
    ./native > want
    ./prog > got
    cmp want got
    "$HEDDLE" run -- ./prog > got
    cmp want got
done
"$HEDDLE" cc -O1 -w --heddle-list-sites "$HERE/cc-asm.c" | cut -f 4 | grep -E 'load|store|rmw|cas|fence|pause|unseen|assembly' |
    sort | uniq -c
# The other spelling, and the names of what is touched.
cat > intel.c << 'END'
#include <stdio.h>
int word, many[4];
int main(void)
{
    int was, one = 1;
    __asm__ volatile("lock cmpxchg dword ptr %1, %2" : "=a"(was), "+m"(word) : "r"(5), "0"(0) : "memory");
    __asm__ volatile("lock xadd dword ptr [%1 + 8], %0" : "+r"(one) : "r"(many) : "memory");
    __asm__ volatile("mov %0, dword ptr [%1+8]" : "=r"(was) : "r"(many) : "memory");
    __asm__ volatile("lock bts dword ptr [%0], 3" : : "r"(&word) : "memory");
    __asm__ volatile("mov dword ptr %0, 7" : "=m"(many[1]) : : "memory");
    printf("%d %d %d %d\n", word, one, was, many[1]);
    return 0;
}
END
"$HEDDLE" cc -O1 -w -masm=intel intel.c -o intel
"$HEDDLE" run -- ./intel
"$HEDDLE" cc -O1 -w -masm=intel --heddle-list-sites intel.c | cut -f 2-5 | grep -E 'load|store|rmw|cas|unseen'
# Not understood: operands in memory are all that it touches, unless it says otherwise.
cat > other.c << 'END'
#include <stdio.h>
static double from[2] = {1, 2}, to[2];
static unsigned char text[8], copy[8] = "weave";
int main(void)
{
    __asm__ volatile("movupd %1, %%xmm0\n\tmovupd %%xmm0, %0" : "=m"(to) : "m"(from) : "xmm0");
    unsigned char *d = text, *s = copy;
    unsigned long n = 6;
    for (int i = 0; i < 2; i++, d = text, s = copy, n = 6)
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    unsigned short mode;
    __asm__ volatile("fnstcw %0" : "=m"(mode)); /* a local: nobody else's business */
    __asm__ volatile("mov %%rsp, %0" : "=r"(n) : : "memory");
    printf("%g %s %x\n", to[1], text, mode);
    return 0;
}
END
"$HEDDLE" cc -O1 other.c -o other
"$HEDDLE" run -- ./other
"$HEDDLE" cc -O1 --heddle-list-sites other.c | cut -f 2-5 | grep -E 'unseen|assembly'
