# Command lines of every kind: same exit code, messages and files as with clang.
mkdir bin && cp "$HEDDLE" bin/heddle && ln -s "$BUILD/headers" bin/
clang-19 -O2 -I"$TOP/include" -c "$HERE/cc-stub.c" && ar rc bin/libheddle-rt.a cc-stub.o
cp bin/libheddle-rt.a bin/libheddle-off.a
mkdir -p twin/sub
cd twin
printf '#include <stdio.h>\n#include "a.h"\nint b(int);\nint main(void) { printf("%%d\\n", b(2) + A); return 0; }\n' > a.c
echo '#define A 3' > a.h
echo 'int b(int x) { return x * 2; }' > b.c
echo 'int d;' > sub/d.c
echo 'int f( { return 1; }' > bad.c
printf '#include <stdio.h>\nint main(void) { int unused; printf("%%u\\n", 1L); return 0; }\n' > warn.c
echo 'int main(void) { return 0; }' > stdin.txt
printf '.globl three\nthree: mov $3, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' > asm.S
echo 'int three(void); int main(void) { return three() - 3; }' > amain.c
echo 'a.c b.c "-o" prog -DX="a \"b\" c"' > args
printf '@more\n' > args2
printf -- '-O2 -o out2.o' > more
printf '#include <vector>\nint main() { std::vector<int> v(3); return v.size() != 3; }\n' > t.cc
printf '#ifdef __OPTIMIZE__\n#error optimised\n#endif\nint i;\n' > level.c
: > empty.c
clang-19 -c b.c -o given.o
cd ..
compare() {
    count=$((count + 1))
    for who in clang heddle; do
        rm -rf $who && cp -r twin $who && cd $who
        case "$who $1" in
        "clang c++"*) line="clang++-19${1#c++}" ;;
        clang*) line="clang-19${1#cc}" ;;
        *) line="../bin/heddle $1" ;;
        esac
        code=0
        eval "$line" > ../$who.out 2> ../$who.err || code=$?
        echo "exit $code" >> ../$who.out
        [ ! -x prog ] || ./prog >> ../$who.out 2>&1
        cat ./*.d dep.mk >> ../$who.out 2>&1 || true
        find . | sort >> ../$who.out
        cd ..
        sed -i -E 's/clang(\+\+)?(-19)?/clang/g' $who.err
    done
    case "$1" in
    *"-o - "*) sed -i '/^exit/,$!d' clang.out heddle.out ;;
    esac
    diff clang.out heddle.out && diff clang.err heddle.err || echo "differs: $1"
}
count=0
while IFS= read -r line; do
    compare "$line"
done << 'END'
cc -c a.c
cc -c -oout.o a.c
cc -c sub/d.c
cc a.c b.c -o prog
cc a.c b.c
cc -c a.c b.c
cc -c a.c b.c -o x.o
cc -S a.c
cc -S -o - a.c
cc -E a.c
cc -E -dM -x c /dev/null
cc -MM a.c
cc -c -MD a.c
cc -c -MMD a.c -o out.o
cc -c -MD -MF dep.mk a.c -o out.o
cc -c -MD -MT target -MF dep.mk a.c -o out.o
cc -c -MD -MP -MQ 'a$b' -MFdep.mk a.c -o out.o
cc -c -Wp,-MD,dep.mk a.c -o out.o
cc -MD a.c b.c -o prog
cc --version
cc -v
cc -print-search-dirs
cc -dumpmachine
cc -fsyntax-only a.c
cc
cc nothere.c
cc -c nothere.c -o x.o
cc -c bad.c
cc -c bad.c a.c
cc bad.c a.c -o prog
cc -c warn.c -Wall
cc -c warn.c -Wall -Werror
cc -Wall warn.c -o prog
cc -c a.c -lm
cc -c -L/x -std=c99 b.c
cc a.c b.c -lm -o prog
cc -c -x c stdin.txt -o s.o
cc -x c - -o prog < stdin.txt
cc -c -x c - < stdin.txt
cc -E -x c - < stdin.txt
cc -x c stdin.txt -x none given.o -o prog
cc given.o a.c -o prog
cc -c asm.S
cc asm.S amain.c -o prog
cc -c asm.S amain.c
cc @args
cc -c @args2 a.c
cc @nothere
cc -shared -fPIC b.c -o libb.so
cc -shared -fPIC b.c -Wl,-z,defs -o libb.so
cc -r b.c -o b.r.o
cc a.c b.c -ffunction-sections -fdata-sections -Wl,--gc-sections -o prog
cc -static a.c b.c -o prog
cc -c -emit-llvm a.c
cc -S -emit-llvm a.c
cc -c a.c -badoption
cc -c a.c -fno-such-thing
cc -c a.c -O2 -g3 -std=c17 -pedantic
cc -c a.c -I sub -D X=1 -include a.h -U Y -isystem sub
cc -c a.h
cc -c level.c
cc -c level.c -O1
cc -c empty.c
c++ -c t.cc
c++ t.cc -o prog
c++ -std=c++20 t.cc -o prog
c++ -c a.c
c++ -x c++ -c a.c -o out.o
END
echo "$count lines"
find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'heddle-cc-*'
