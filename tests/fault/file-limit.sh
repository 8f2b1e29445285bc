# SPDX-License-Identifier: Apache-2.0
# ulimit -f: a record that may not grow gets one message, and what was recorded can be read; a small run
# is not hindered; a file of the target's own that may not grow is its death, as without us. ulimit -v: a run that
# has too little is refused with the number that is enough, and that number is enough; also beyond the budget, where there is
# no knowing what is shared.
cat >count.c <<'E'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *arg)
{
    for (int i = 0; i < *(int *)arg; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int times = atoi(argv[argc - 1]);
    pthread_create(&t, 0, count, &times);
    count(&times);
    pthread_join(t, 0);
    return printf("%d\n", n) < 0;
}
E
cat >own.c <<'E'
#include <stdio.h>
int main(void)
{
    FILE *f = fopen("own.data", "w");
    for (int i = 0; i < 300000; i++)
        fprintf(f, "line %d\n", i);
    return fclose(f);
}
E
cat >fill.c <<'E'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned *a;
static void *fill(void *arg)
{
    for (unsigned i = 0; i < 50000; i++)
        a[i * 7919 % 1000] += i;
    return arg;
}
int main(void)
{
    pthread_t t;
    a = calloc(1000, sizeof *a);
    fill(0);
    pthread_create(&t, 0, fill, 0);
    pthread_join(t, 0);
    return printf("%u\n", a[0]) < 0;
}
E
for p in count own fill; do "$HEDDLE" cc -O1 -pthread $p.c -o $p; done
options=
try() {
    local code=0
    timeout 60 "$HEDDLE" run $options -- "$@" >out 2>err || code=$?
    echo "$*: exit $code: $(cat out) $(grep -m 1 '^heddle: ' err | sed "s,$PWD/,,")"
}
(ulimit -v 8000000 && try ./count 10)
enough=$(grep -o 'ulimit -v [0-9]*' err | grep -o '[0-9]*$')
(ulimit -v "$enough" && try ./count 20)
(ulimit -v "$enough" && options="--budget 1" && try ./fill)
ulimit -f 3000
try ./count 1000
try ./count 500000
events=$("$HEDDLE" trace stat count.heddle/runs/last/trace 2>err | sed -n '3s/ events.*//p' | tr -d ' ,')
[ "$events" -gt 400000 ] && echo "a long prefix"
try ./own
