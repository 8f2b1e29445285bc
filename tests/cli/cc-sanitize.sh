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

# What is built for ThreadSanitizer knows it; who watches the threads is Heddle. Its callbacks
# and annotations may be there.
cat > threads.c <<'END'
#include <pthread.h>
#if !__has_feature(thread_sanitizer) || !defined __SANITIZE_THREAD__
#error "not for ThreadSanitizer"
#endif
const char *__tsan_default_options(void) { return "halt_on_error=1"; }
void __sanitizer_print_stack_trace(void);
static int count;
static void *add(void *unused)
{
    count++;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc > 5)
        __sanitizer_print_stack_trace();
    (void)argv;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return count - 2;
}
END
"$HEDDLE" cc -g -fsanitize=thread,undefined threads.c -o threads
"$HEDDLE" cc -g -c -fsanitize=thread threads.c
"$HEDDLE" cc -fsanitize=thread threads.o -o threads-apart && ./threads-apart
"$HEDDLE" check -- ./threads | sed -n '1,3p'
