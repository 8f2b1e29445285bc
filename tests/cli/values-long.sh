# SPDX-License-Identifier: Apache-2.0
# Runs that are too long for reasoning about values are named once, however long each of them is.
cat > long.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static volatile long n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *count(void *arg)
{
    for (int i = 0; i < *(int *)arg; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t t;
    pthread_create(&t, NULL, count, &times);
    count(&times);
    return pthread_join(t, NULL);
}
C
"$HEDDLE" cc -g -O1 long.c -o long
"$HEDDLE" check --no-explore --args 26000 --args 27000 --args 28000 -- ./long >report 2>err || echo "exit $?"
grep '^not looked at' report
