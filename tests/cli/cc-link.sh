# Tables and hooks in programs, archives, shared objects and what is loaded at run time.
mkdir bin && cp "$HEDDLE" bin/heddle && ln -s "$BUILD/headers" bin/ && PATH="$PWD/bin:$PATH"
clang-19 -O2 -I"$TOP/include" -c "$HERE/cc-stub.c" && ar rc bin/libheddle-rt.a cc-stub.o
cp bin/libheddle-rt.a bin/libheddle-off.a
echo 'int in_archive; int archive(void) { return ++in_archive; }' > archive.c
echo 'int never; int unused(void) { return never; }' > unused.c
echo 'int in_shared; int shared(void) { return ++in_shared; }' > shared.c
echo 'int in_plugin; int plugin(void) { return ++in_plugin; }' > plugin.c
cat > main.c << 'END'
#include <dlfcn.h>
#include <stdio.h>
int archive(void), shared(void);
static int dead;
static int *keep(void) { return &dead; }
int main(void)
{
    void *so = dlopen("./plugin.so", RTLD_NOW);
    int (*plugin)(void) = so ? (int (*)(void))dlsym(so, "plugin") : NULL;
    printf("%d\n", plugin ? archive() + shared() + plugin() : -1);
    return 0;
}
END
heddle cc -c -O2 archive.c unused.c && ar rc liball.a archive.o unused.o
heddle cc -shared -fPIC -Wl,-z,defs shared.c -o libshared.so
heddle cc -shared -fPIC plugin.c -o plugin.so
for flags in "" "-ffunction-sections -fdata-sections -Wl,--gc-sections" "-no-pie" "-g0 -O3"; do
    heddle cc -w $flags main.c -L. -lall -lshared -Wl,-rpath,. -o prog
    STUB_LOG=1 ./prog 2>&1 | grep -c 'write in_'
done
heddle cc -static archive.c -x c - -o static << 'END'
int archive(void);
int main(void) { return archive() - 1; }
END
STUB_LOG=1 ./static 2>&1 | grep 'write in_'
readelf -SW prog | grep -o 'heddle_[a-z]* ' | sort
# The kept module is no part of the program in memory.
readelf -SW prog | awk '/heddle_bitcode/ { print $0 ~ / A /  ? "loaded" : "not loaded" }'
# It reads back, unit by unit, and carries the sites' numbers.
objcopy -O binary --only-section=heddle_bitcode --set-section-flags heddle_bitcode=alloc prog kept
python3 - << 'END'
import struct
data, at, count = open("kept", "rb").read(), 0, 0
while at < len(data):
    magic, packed, plain = struct.unpack_from("<8sQQ", data, at)
    assert magic == b"HDDLEBC1"
    open(f"unit{count}.zst", "wb").write(data[at + 24:at + 24 + packed])
    at = (at + 24 + packed + 7) & ~7
    count += 1
print(count, "units")
END
for unit in unit*.zst; do
    zstd -q -d $unit -o $unit.bc
    llvm-dis-19 $unit.bc -o - | grep -c '!heddle.site' > number
    echo "$(llvm-dis-19 $unit.bc -o - | sed -n 's/^source_filename = //p'): $(cat number) sites"
done
# The stand-in of the runtime lets a static program run, and says why Heddle cannot.
"$HEDDLE" cc -static archive.c -x c - -o static << 'END'
int archive(void);
int main(void) { return archive() - 1; }
END
./static && "$HEDDLE" run -- ./static 2>&1 | head -1
# A plain linker line says what is missing.
clang-19 archive.o -x c - -o x <<< 'int main(void) { return 0; }' 2>&1 | grep -o '__heddle_abi_3' | head -1
# Without a runtime library there is a message.
rm bin/libheddle-rt.a
heddle cc main.c -L. -lall -lshared -o prog 2> message || echo "exit $?"
sed "s,$PWD,DIR," message
