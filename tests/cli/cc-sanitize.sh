# Sanitizers in the target: what UBSan finds is the outcome; those that want the threads for
# themselves are refused by name. Without Heddle all of them work as ever.
cat > overflow.c << 'END'
#include <limits.h>
int main(int argc, char **argv)
{
    int x = INT_MAX;
    x += argc;
    return x == 0;
}
END
for flags in "-fno-sanitize-recover=all" ""; do
    "$HEDDLE" cc -O1 -fsanitize=undefined $flags overflow.c -o overflow
    "$HEDDLE" run -- ./overflow 2> err || echo "exit $?"
    grep -o '^heddle: sanitizer: .*overflow.c:5:7' err
    ./overflow 2> err || echo "exit $?"
    grep -c SUMMARY err
done
"$HEDDLE" cc -O1 -fsanitize=address overflow.c -o overflow
"$HEDDLE" run -- ./overflow 2> err || echo "exit $?"
head -1 err
./overflow && echo "runs on its own"
# Link-time optimisation, as far as clang can do it here.
if clang-19 -flto overflow.c -o plain 2> err; then
    "$HEDDLE" cc -O2 -flto overflow.c -o overflow && "$HEDDLE" run -- ./overflow
    "$HEDDLE" trace stat overflow.heddle/runs/last/trace > stat
fi
