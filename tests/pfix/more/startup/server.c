// SPDX-License-Identifier: Apache-2.0
#include "server.h"

static void warm_up(void)
{
    for (volatile int i = 0; i < 3000000; i++)
        ;
}

static void *server_main(void *argument)
{
    struct server *s = argument;
    warm_up();
    for (int i = 0; i < s->config->limit; i++)
        s->answered++;
    return NULL;
}

int server_start(struct server *s, const struct config *c)
{
    s->answered = 0;
    if (pthread_create(&s->thread, NULL, server_main, s))
        return -1;
    s->config = c;
    return 0;
}

void server_wait(struct server *s)
{
    pthread_join(s->thread, NULL);
}
