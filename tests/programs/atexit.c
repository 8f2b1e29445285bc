/* Exit handlers run last-registered first, also those of threads and of other handlers. */
//~ exit: 6
//~ stdout: main ends
//~ stdout: registered by a thread
//~ stdout: second
//~ stdout: registered while exiting
//~ stdout: first
//~ stdout: destructor
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void first(void)
{
    puts("first");
}

static void while_exiting(void)
{
    puts("registered while exiting");
}

static void second(void)
{
    puts("second");
    atexit(while_exiting);
}

static void by_thread(void)
{
    puts("registered by a thread");
}

static void *register_one(void *arg)
{
    atexit(by_thread);
    return arg;
}

__attribute__((destructor)) static void destructor(void)
{
    puts("destructor");
}

int main(void)
{
    pthread_t t;
    atexit(first);
    atexit(second);
    pthread_create(&t, NULL, register_one, NULL);
    pthread_join(t, NULL);
    puts("main ends");
    return 6;
}
