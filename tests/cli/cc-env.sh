# What is ours: help, the ignore list, another clang, and a directory that cannot be written.
"$HEDDLE" cc --help | head -9
printf 'int x; void f(void) { x = 1; }\n' > one.c
printf 'int y; void g(void) { y = 1; }\n' > two.c
printf '# generated\n*wo.c\n' > ignore
HEDDLE_CC_IGNORE=ignore "$HEDDLE" cc -c one.c two.c
for o in one two; do
    readelf -SW $o.o | grep -c 'heddle_sites' || true
done
printf 'fun:le*\nfun:ns::*\nsrc:*two*\n' > ignore
printf 'int x; void left(void) { x = 1; }\nnamespace ns { void also() { x = 2; } }\nvoid kept() { x = 3; }\n' > three.cc
printf 'int y; void two() { y = 1; }\n' > two.cc
"$HEDDLE" c++ --heddle-ignore=ignore --heddle-list-sites three.cc two.cc | cut -f 3- | cut -f 1-3
"$HEDDLE" cc --heddle-ignore=nothere -c one.c || echo "exit $?"
HEDDLE_CC_IGNORE=nothere "$HEDDLE" cc -c one.c || echo "exit $?"
HEDDLE_CLANG=/nothere/clang "$HEDDLE" cc -c one.c || echo "exit $?"
TMPDIR=/nothere "$HEDDLE" cc -c one.c || echo "exit $?"
# The same source, the same object.
"$HEDDLE" cc -c one.c && mv one.o first.o && "$HEDDLE" cc -c one.c && cmp one.o first.o
# The header with annotations is found without a flag, behind what the user names.
printf '#include <heddle/annotate.h>\nint main(void) { HEDDLE_EXPECT(1); return 0; }\n' >annotated.c
"$HEDDLE" cc annotated.c -o annotated && ./annotated
cp annotated.c annotated.cpp
C_INCLUDE_PATH=/nowhere "$HEDDLE" c++ -std=c++17 annotated.cpp -o annotated && ./annotated
# Under a name of one word it is the same compiler.
ln -s "$HEDDLE" heddle-cc && ln -s "$HEDDLE" heddle-c++
./heddle-cc -dumpmachine | sed 's/^[^-]*-.*-/ARCH-/'
mv one.o first.o && ./heddle-cc -c one.c && cmp one.o first.o
./heddle-c++ -c three.cc -o named.o && readelf -SW named.o | grep -c heddle_sites
