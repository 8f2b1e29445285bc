/* _exit from a thread ends everything at once: no exit handler, no flush. */
//~ outcome: exit 9
//~ stdout: written
//~ tsan: skip its _exit flushes the streams
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void handler(void)
{
    if (write(STDOUT_FILENO, "wrong\n", 6) != 6)
        _exit(1);
}

static void *leave(void *arg)
{
    if (write(STDOUT_FILENO, "written\n", 8) != 8)
        return arg;
    _exit(9);
}

int main(void)
{
    static char buffer[BUFSIZ];
    pthread_t t;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    atexit(handler);
    fputs("lost in the buffer\n", stdout);
    pthread_create(&t, NULL, leave, NULL);
    pthread_join(t, NULL);
    return 0;
}
