/* Whether the door is open is read under its lock; who goes in does so when that has been
 * given back. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t door_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1, inside, counted;

static void enter(void)
{
    pthread_mutex_lock(&count_lock);
    inside++;
    pthread_mutex_unlock(&count_lock);
}

static void *visit(void *arg)
{
    pthread_mutex_lock(&door_lock);
    int may_enter = is_open;
    pthread_mutex_unlock(&door_lock);
    if (may_enter)
        enter();
    return arg;
}

static void *shut(void *arg)
{
    pthread_mutex_lock(&door_lock);
    is_open = 0;
    pthread_mutex_unlock(&door_lock);
    pthread_mutex_lock(&count_lock);
    counted = inside;
    pthread_mutex_unlock(&count_lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, shut, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", inside);
    assert(inside == counted);
    return 0;
}
