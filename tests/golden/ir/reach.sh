# SPDX-License-Identifier: Apache-2.0
# Which statements can still be reached: loops, calls, returns, other units, pointers to functions.
cat > one.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int shared, other;
void elsewhere(int n);
static void leaf(void)
{
    shared = 1;
}
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
void never(void)
{
    other = 2;
}
int main(int argc, char **argv)
{
    int table[2] = {2, 1};
    shared = 3;
    for (int i = 0; i < argc; i++) {
        other = 4;
        leaf();
    }
    shared = 5;
    elsewhere(argc);
    shared = 6;
    if (argc > 3)
        qsort(table, 2, sizeof table[0], compare);
    return shared;
}
END
cat > two.c <<'END'
extern int shared;
void elsewhere(int n)
{
    if (n > 0)
        shared = 7;
    shared = 8;
}
END
"$HEDDLE" cc -O1 one.c two.c -o prog
reach() { "$BUILD/tools/bitcode" reach prog "$@"; }
echo "== straight on, and not back"
reach one.c:20 one.c:25
reach one.c:25 one.c:20
echo "== round a loop"
reach one.c:22 one.c:22
reach one.c:25 one.c:22
echo "== into a call and out of it"
reach one.c:20 one.c:7
reach one.c:7 one.c:22
reach one.c:7 one.c:20
echo "== another unit, and back"
reach one.c:25 two.c:5
reach two.c:6 two.c:5
reach two.c:5 two.c:6
reach two.c:6 one.c:27
reach one.c:27 two.c:6
echo "== by a pointer"
reach one.c:27 one.c:11
reach two.c:6 one.c:11
echo "== nobody calls it"
reach one.c:20 one.c:15
echo "== programs without bitcode"
cc two.c -c -o plain.o
"$BUILD/tools/bitcode" reach plain.o two.c:5 two.c:6 || echo "exit $?"
"$BUILD/tools/bitcode" reach two.c two.c:5 two.c:6 || echo "exit $?"
