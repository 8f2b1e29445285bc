# SPDX-License-Identifier: Apache-2.0
# A campaign that has mutants alone, and no test.
cat >counter.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *arg)
{
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return count != 2;
}
EOF
"$HEDDLE" campaign new c --mutants counter.c
"$HEDDLE" campaign run c | tail -1
"$HEDDLE" campaign report c | grep -i mutants || "$HEDDLE" campaign report c
