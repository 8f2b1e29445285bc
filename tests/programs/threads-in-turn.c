/* A thousand threads live one after another, so that ids, stacks and keys are used again. */
//~ exit: 0
//~ stdout: lived 1000, destroyed 1000
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int lived, destroyed; /* never two threads at a time: join orders them */

static void destroy(void *value)
{
    destroyed += value == &key;
}

static void *live(void *arg)
{
    if (pthread_getspecific(key) == NULL) /* nothing left from the thread before */
        lived++;
    pthread_setspecific(key, &key);
    return arg;
}

int main(void)
{
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 1000; i++) {
        pthread_t t;
        pthread_create(&t, NULL, live, NULL);
        pthread_join(t, NULL);
    }
    printf("lived %d, destroyed %d\n", lived, destroyed);
    return 0;
}
