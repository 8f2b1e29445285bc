# Every access of the source reaches the runtime at every level of optimisation, in the same
# order and with the same values.
mkdir bin && cp "$HEDDLE" bin/heddle && ln -s "$BUILD/headers" bin/
clang-19 -O2 -I"$TOP/include" -c "$HERE/cc-stub.c" && ar rc bin/libheddle-rt.a cc-stub.o
for level in -O2 -O0 -O1 -O3 -Os; do
    bin/heddle cc $level "$HERE/cc-survive.c" -o prog
    STUB_LOG=1 ./prog 2> log > out
    if [ $level = -O2 ]; then
        mv log expected && cat expected out
    else
        diff expected log
    fi
done
