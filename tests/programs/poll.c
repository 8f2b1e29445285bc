/* poll waits for two pipes that threads fill, and times out on a silent one. */
//~ exit: 0
//~ stdout: silent: 0, first 3 bytes, second 5 bytes, hang-ups 2
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pipes[2][2];

static void *fill(void *arg)
{
    int me = *(int *)arg, bytes = me == 0 ? 3 : 5;
    for (int i = 0; i < bytes; i++)
        if (write(pipes[me][1], "x", 1) != 1)
            return NULL;
    close(pipes[me][1]);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int id[2] = {0, 1}, bytes[2] = {0, 0}, open_ends = 2, hang_ups = 0, silent[2];
    if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0 || pipe(silent) != 0)
        return 1;
    struct pollfd quiet = {.fd = silent[0], .events = POLLIN};
    int nothing = poll(&quiet, 1, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, fill, &id[i]);
    struct pollfd watch[2] = {{.fd = pipes[0][0], .events = POLLIN},
                              {.fd = pipes[1][0], .events = POLLIN}};
    while (open_ends > 0) {
        if (poll(watch, 2, -1) <= 0)
            return 1;
        for (int i = 0; i < 2; i++) {
            char buffer[2];
            if (watch[i].revents == 0)
                continue;
            ssize_t n = read(watch[i].fd, buffer, sizeof buffer);
            if (n > 0) {
                bytes[i] += (int)n;
            } else {
                hang_ups += (watch[i].revents & POLLHUP) != 0;
                watch[i].fd = -1;
                open_ends--;
            }
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("silent: %d, first %d bytes, second %d bytes, hang-ups %d\n", nothing, bytes[0],
           bytes[1], hang_ups);
    return 0;
}
