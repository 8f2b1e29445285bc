// SPDX-License-Identifier: Apache-2.0
//~ expect: uninitialised A B
// The pointer beside one that is initialised where it is defined is not.
#include <pthread.h>

static int first, second;
static void greet(void) {}
static void leave(void) {}
static int *place = &first;
static const char *name = "weft";
static struct {
    int count;
    void (*open)(void);
    int *none;
} table[2] = {{.count = 1}, {.open = greet}};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    *table[1].none = 1; //~ A
    table[1].open();
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    pthread_mutex_lock(&m);
    table[1].none = &second; //~ B
    table[1].open = leave;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
