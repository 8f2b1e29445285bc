// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Each transfer is one unit; an audit of all accounts does not make two of them one.
#include <pthread.h>
#include <stdio.h>

static int account[4] = {100, 100, 100, 100};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void move(int from, int to)
{
    pthread_mutex_lock(&m);
    account[from] -= 10;
    account[to] += 10;
    pthread_mutex_unlock(&m);
}

static void *teller(void *unused)
{
    (void)unused;
    move(0, 1);
    move(2, 3);
    return NULL;
}

static void *auditor(void *unused)
{
    int sum = 0;
    (void)unused;
    pthread_mutex_lock(&m);
    for (int i = 0; i < 4; i++)
        sum += account[i];
    pthread_mutex_unlock(&m);
    printf("%d\n", sum);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, auditor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
