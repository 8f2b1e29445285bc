// SPDX-License-Identifier: Apache-2.0
// Two threads connect to one socket; who is accepted has said which one it is.
//~ check: quiet
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un where = {.sun_family = AF_UNIX, .sun_path = "twin-socket"};
static int listening, data[2], seen;
static char ready[2];

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *client(void *arg)
{
    int number = arg != NULL, s = socket(AF_UNIX, SOCK_STREAM, 0);
    data[number] = 42;
    must(connect(s, (struct sockaddr *)&where, sizeof where) == 0);
    must(write(s, number ? "1" : "0", 1) == 1);
    return s > 0 ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    must(bind(listening, (struct sockaddr *)&where, sizeof where) == 0);
    must(listen(listening, 4) == 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, (void *)i);
    int s = accept(listening, NULL, NULL);
    must(s >= 0 && read(s, ready, 1) == 1);
    seen = data[ready[0] == '1'];
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return seen != 42;
}
