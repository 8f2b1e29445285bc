/* select waits for input and for a wake-up through a pipe, and times out. */
//~ exit: 0
//~ stdout: time-out 0, then messages 3 and a stop
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

static int input[2], wake[2];
static int timed_out = -1, messages, stopped;

static void *worker(void *arg)
{
    fd_set set;
    struct timeval span = {.tv_usec = 2000};
    FD_ZERO(&set);
    timed_out = select(0, NULL, NULL, NULL, &span);
    while (!stopped || messages < 3) {
        char byte;
        FD_ZERO(&set);
        FD_SET(input[0], &set);
        FD_SET(wake[0], &set);
        int last = input[0] > wake[0] ? input[0] : wake[0];
        if (select(last + 1, &set, NULL, NULL, NULL) < 0)
            break;
        if (FD_ISSET(input[0], &set))
            messages += read(input[0], &byte, 1) == 1;
        else if (FD_ISSET(wake[0], &set))
            stopped = read(wake[0], &byte, 1) == 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    if (pipe(input) != 0 || pipe(wake) != 0)
        return 1;
    pthread_create(&t, NULL, worker, NULL);
    if (write(input[1], "abc", 3) != 3 || write(wake[1], "!", 1) != 1)
        return 1;
    pthread_join(t, NULL);
    printf("time-out %d, then messages %d and %s\n", timed_out, messages,
           stopped ? "a stop" : "no stop");
    return 0;
}
