/* pthread_exit deep in calls runs cleanup handlers, then key destructors. */
//~ exit: 0
//~ stdout: inner outer key
//~ stdout: popped and run, result 5
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_key_t key;
static char said[64];
static volatile int may_leave = 1; /* or gcc calls it an infinite recursion */

static void say(void *word)
{
    if (said[0] != '\0')
        strcat(said, " ");
    strcat(said, word);
}

static void deep(int depth)
{
    if (depth > 0)
        deep(depth - 1);
    else if (may_leave)
        pthread_exit((void *)5);
}

static void *leave_early(void *arg)
{
    pthread_setspecific(key, "key");
    pthread_cleanup_push(say, "outer");
    pthread_cleanup_push(say, "inner");
    deep(10);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return arg;
}

static void *pop_only(void *arg)
{
    pthread_cleanup_push(say, "wrong");
    pthread_cleanup_pop(0);
    pthread_cleanup_push(say, "popped and run");
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_key_create(&key, say);
    pthread_create(&t, NULL, leave_early, NULL);
    pthread_join(t, &result);
    puts(said);
    said[0] = '\0';
    pthread_create(&t, NULL, pop_only, NULL);
    pthread_join(t, NULL);
    printf("%s, result %d\n", said, (int)(long)result);
    return pthread_key_delete(key);
}
