// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who finds nothing has looked before it was written; a pipe back says that it was done.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value, to[2], back[2];

/* Nothing to read: nobody has written yet, and the first thread waits for our word. */
static void *two(void *arg)
{
    char c;
    if (read(to[0], &c, 1) < 0 && errno == EAGAIN)
        value = 2;
    if (write(back[1], "b", 1) != 1)
        return NULL;
    return arg;
}

static void *one(void *arg)
{
    char c;
    if (read(back[0], &c, 1) != 1)
        return NULL;
    value = 1;
    if (write(to[1], "a", 1) != 1)
        return NULL;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    if (pipe(to) < 0 || pipe(back) < 0)
        return 1;
    fcntl(to[0], F_SETFL, O_NONBLOCK);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    return 0;
}
