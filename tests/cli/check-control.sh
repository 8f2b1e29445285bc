# SPDX-License-Identifier: Apache-2.0
# Output is harm only if runs in which nobody is interrupted all print the same; a spin lock of code
# that is not instrumented decides nothing, and takes seconds; a deadlock that the program's own
# alarm would end is a deadlock.
cat > count.c << 'E'
#include <pthread.h>
#include <stdio.h>
static int hits;
static void *work(void *arg)
{
    for (int i = 0; i < 3; i++)
        hits++;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    if (SEEN)
        printf("seen %d\n", hits);
    pthread_join(b, 0);
    printf("total %d\n", hits);
    return 0;
}
E
cat > lock.c << 'E'
void plain_lock(int *p)
{
    while (__sync_lock_test_and_set(p, 1))
        __builtin_ia32_pause();
}
void plain_unlock(int *p)
{
    __sync_lock_release(p);
}
E
cat > spin.c << 'E'
#include <pthread.h>
void plain_lock(int *), plain_unlock(int *);
static int lock, total;
static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        plain_lock(&lock);
        total++;
        plain_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return total != 6;
}
E
cat > alarm.c << 'E'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    alarm(3);
    pthread_mutex_lock(&m);
    return pthread_mutex_lock(&m);
}
E
says() { # NAME: the exit code, and the titles of what is shown
    echo "== $1"
    code=0
    timeout 100 "$HEDDLE" check -- ./$1 > out 2> err || code=$?
    echo "exit $code"
    grep -E '^[a-z-]+-[0-9a-f]{8}  ' out | sed -e 's/-[0-9a-f]*  /  /' -e 's/, [0-9]* more.*//' | sort -u || true
}
"$HEDDLE" cc -g -O1 -pthread -DSEEN=0 count.c -o same
"$HEDDLE" cc -g -O1 -pthread -DSEEN=1 count.c -o differs
cc -O1 -c lock.c
"$HEDDLE" cc -g -O1 -pthread spin.c lock.o -o spin
"$HEDDLE" cc -g -O1 -pthread alarm.c -o alarm
says same
says differs
says spin
says alarm
