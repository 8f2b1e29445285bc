/* Results by return and pthread_exit, and the errors of wrong joins. */
//~ exit: 0
//~ stdout: returned 42, exited 43, created by a thread 44
//~ stdout: join self EDEADLK, detached EINVAL, pthread_equal right yes
//~ tsan: skip its pthread_join does not survive an error
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static pthread_t main_thread;

static void *return_it(void *arg)
{
    return arg;
}

static void *exit_with_it(void *arg)
{
    pthread_exit(arg);
}

static void *create_another(void *arg)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, return_it, arg);
    pthread_join(t, &result);
    return result;
}

static void *join_myself(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)pthread_join(pthread_self(), NULL);
}

static void *compare_ids(void *arg)
{
    (void)arg;
    pthread_t me = pthread_self();
    int right = pthread_equal(me, pthread_self()) && !pthread_equal(me, main_thread);
    return (void *)(intptr_t)right;
}

static int run(void *(*body)(void *), void *arg)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, body, arg);
    pthread_join(t, &result);
    return (int)(intptr_t)result;
}

int main(void)
{
    main_thread = pthread_self();
    int returned = run(return_it, (void *)42), exited = run(exit_with_it, (void *)43);
    printf("returned %d, exited %d, created by a thread %d\n", returned, exited,
           run(create_another, (void *)44));

    int own = run(join_myself, NULL), right = run(compare_ids, NULL);
    pthread_detach(pthread_self());
    int detached = pthread_join(pthread_self(), NULL);
    printf("join self %s, detached %s, pthread_equal right %s\n", strerrorname_np(own),
           strerrorname_np(detached), right ? "yes" : "no");
    return 0;
}
