# SPDX-License-Identifier: Apache-2.0
# What is here, and what of a program will not be seen.
code() { "$@" || echo "exit $?"; }
"$HEDDLE" doctor | grep -v addresses | sed 's/^\(ok\|note\)  *\([a-z]*\).*/fine: \2/'
cat >seen.c <<'EOF'
#include <ucontext.h>
#include <zlib.h>
typedef int v8 __attribute__((vector_size(32)));
v8 wide, other;
int word;
int plain(void);
void lock(int *p) { __asm__ volatile("push (%0); pop (%0)" : : "r"(p) : "memory"); }
void never(ucontext_t *u) { word = 2; setcontext(u); }
int main(int argc, char **argv)
{
    wide = other;
    lock(&word);
    if (argc > 1)
        never((void *)argv);
    return plain() + (zlibVersion()[0] == 0);
}
EOF
echo 'int hidden; int plain(void) { return hidden; }' >plain.c
cc -c plain.c
"$HEDDLE" cc -g seen.c plain.o -lz -o seen
"$HEDDLE" doctor ./seen | sed -n '/^ok    program/,$p' | sed 's/at [0-9]* places/at N places/'
echo "== the report says it too"
code "$HEDDLE" check --no-explore --strict -- ./seen
echo "== other programs"
code "$HEDDLE" doctor nowhere /bin/sh seen.c | sed -n '/program/p;/exit/p'
HEDDLE_CLANG=no-such-clang code "$HEDDLE" doctor | sed -n '/compiler/p;/trial/s/:.*//p;/exit/p'
code "$HEDDLE" doctor --fast
