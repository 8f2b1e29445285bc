// SPDX-License-Identifier: Apache-2.0
//~ fails: crash
//~ with: channel.c
// One thread sends while another one closes: whether it is open is asked without the lock.
#include "channel.h"

#include <stdio.h>

static struct channel ch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *sender(void *arg)
{
    int *sent = arg;
    for (int i = 0; i < 3; i++) {
        if (channel_send(&ch, (char)('a' + i)) < 0)
            break;
        ++*sent;
    }
    return NULL;
}

static void *closer(void *arg)
{
    (void)arg;
    channel_close(&ch);
    return NULL;
}

int main(void)
{
    pthread_t s, c;
    int sent = 0;

    if (channel_open(&ch) < 0)
        return 2;
    pthread_create(&s, NULL, sender, &sent);
    pthread_create(&c, NULL, closer, NULL);
    pthread_join(s, NULL);
    pthread_join(c, NULL);
    printf("sent %d\n", sent);
    return 0;
}
