// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// kill() of the own process ends up in a pipe; whoever reads the byte comes after the sender.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2], list[4], used;

static void on_signal(int number)
{
    char c = (char)number;
    if (write(ends[1], &c, 1) != 1)
        _exit(9);
}

static void *sender(void *arg)
{
    list[used++] = 3; //~ here
    list[used++] = 4; //~ here
    kill(getpid(), SIGUSR2);
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    int sum = 0;
    char c;
    if (pipe(ends) != 0 || sigaction(SIGUSR2, &action, NULL) != 0)
        return 2;
    pthread_t t;
    pthread_create(&t, NULL, sender, NULL);
    while (read(ends[0], &c, 1) < 0)
        if (errno != EINTR)
            return 3;
    for (int i = 0; i < used; i++) //~ here
        sum += list[i];            //~ here
    pthread_join(t, NULL);
    printf("sum %d\n", sum);
    return 0;
}
