// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A pointer goes through a pair of sockets, and with it the object; it comes back the same way.
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct message {
    int length;
    char text[28];
};

static int pair[2];

static void *serve(void *arg)
{
    struct message *m;
    while (read(pair[1], &m, sizeof m) == sizeof m) {
        m->length = -m->length; //~ here
        if (write(pair[1], &m, sizeof m) != sizeof m)
            break;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 1;
    pthread_create(&t, NULL, serve, NULL);
    for (int i = 1; i <= 3; i++) {
        struct message *m = calloc(1, sizeof *m), *back;
        if (m == NULL)
            return 1;
        m->length = i;
        if (write(pair[0], &m, sizeof m) != sizeof m)
            return 1;
        if (read(pair[0], &back, sizeof back) != sizeof back)
            return 1;
        sum += back->length;
        free(back);
    }
    shutdown(pair[0], SHUT_WR);
    pthread_join(t, NULL);
    return sum != -6;
}
