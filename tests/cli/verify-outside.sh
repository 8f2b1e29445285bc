# Both versions fail for a reason that no schedule brings about: that is no verdict on the change.
# The same failure in some schedules only is one.
cat >old.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *a)
{
    int seen = n;
    n = seen + 1;
    return a;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!f)
        return 3;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_mutex_destroy(&m);
    return n == 2 ? 0 : 3;
}
END
sed 's/^    int seen/    pthread_mutex_lock(\&m);\n&/; s/^    return a/    pthread_mutex_unlock(\&m);\n&/' old.c >new.c
sed 's/^    int seen/    pthread_mutex_lock(\&m);\n&/; s/^    n = seen/    pthread_mutex_unlock(\&m);\n&/' old.c >half.c
judge() {
    code=0
    "$HEDDLE" verify --before old.c --after "$@" </dev/null >out || code=$?
    head -1 out
    echo "exit $code"
}
judge new.c -- nowhere.txt
judge new.c
judge half.c | cut -d: -f1
