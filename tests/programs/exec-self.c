/* A program replaces itself by exec after its thread ended; the new image has threads too. */
//~ exit: 4
//~ args: first
//~ stdout: first image: thread said 1
//~ stdout: second image: thread said 2
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *say(void *arg)
{
    *(int *)arg += 1;
    return NULL;
}

int main(int argc, char **argv)
{
    int second = argc > 1 && strcmp(argv[1], "second") == 0, number = second;
    pthread_t t;
    pthread_create(&t, NULL, say, &number);
    pthread_join(t, NULL);
    printf("%s image: thread said %d\n", second ? "second" : "first", number);
    if (second)
        return 4;
    fflush(stdout);
    execl("/proc/self/exe", argv[0], "second", (char *)NULL);
    return 1;
}
