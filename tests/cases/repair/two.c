// SPDX-License-Identifier: Apache-2.0
// Two locks in two orders, and a counter that loses an update.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t red = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t blue = PTHREAD_MUTEX_INITIALIZER;
static int apples[2] = {10, 10};
static int baskets;

static void *right(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&red);
    pthread_mutex_lock(&blue);
    apples[0]--;
    apples[1]++;
    pthread_mutex_unlock(&blue);
    pthread_mutex_unlock(&red);
    int before = baskets;
    baskets = before + 1;
    return NULL;
}

static void *left(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&blue);
    pthread_mutex_lock(&red);
    apples[0]++;
    apples[1]--;
    pthread_mutex_unlock(&red);
    pthread_mutex_unlock(&blue);
    int before = baskets;
    baskets = before + 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, right, NULL);
    pthread_create(&b, NULL, left, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (baskets != 2) {
        printf("%d baskets\n", baskets);
        return 1;
    }
    return 0;
}
