/* main leaves by pthread_exit, and the program ends with its last thread. */
//~ exit: 0
//~ stdout: main is gone
//~ stdout: the last thread ends, sum 499500
//~ stdout: at exit
//~ tsan: skip it does not expect main to be joined
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t main_thread;

static void last_words(void)
{
    puts("at exit");
}

static void *work(void *arg)
{
    (void)arg;
    pthread_join(main_thread, NULL); /* main can be joined too */
    puts("main is gone");
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += i;
    printf("the last thread ends, sum %d\n", sum);
    return (void *)1; /* no exit code */
}

int main(void)
{
    pthread_t t;
    atexit(last_words);
    main_thread = pthread_self();
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
