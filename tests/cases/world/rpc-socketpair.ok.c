// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A request goes to a server by its address; the client touches it again behind the answer.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2];

struct request {
    int number, tries, answer;
};

static void *server(void *arg)
{
    struct request *r;
    must(read(ends[1], &r, sizeof r) == sizeof r);
    r->tries++; //~ here
    r->answer = r->number * r->number;
    must(write(ends[1], "!", 1) == 1);
    return arg;
}

int main(void)
{
    char c;
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_t t;
    pthread_create(&t, NULL, server, NULL);
    struct request *r = calloc(1, sizeof *r);
    r->number = 5;
    must(write(ends[0], &r, sizeof r) == sizeof r);
    must(read(ends[0], &c, 1) == 1);
    r->tries++;
    printf("answer %d\n", r->answer);
    pthread_join(t, NULL);
    int wrong = r->tries != 2;
    free(r);
    return wrong;
}
