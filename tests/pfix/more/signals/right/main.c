// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: signals.c
// Slots are called without the lock, while another thread takes one away; a slot asks back how
// many there are, so that it cannot be called with the lock.
#include "signals.h"

#include <stdio.h>

static struct signals signals = {.calling = PTHREAD_MUTEX_INITIALIZER,
                                 .lock = PTHREAD_MUTEX_INITIALIZER};
static struct slot first, second;
static int most;

/* Asks back how many there are. */
static void note(struct slot *slot, int value)
{
    (void)value;
    slot->calls++;
    int n = signals_count(&signals);
    if (n > most)
        most = n;
}

static void *emitter(void *arg)
{
    (void)arg;
    signals_emit(&signals, 1);
    signals_emit(&signals, 2);
    return NULL;
}

static void *leaver(void *arg)
{
    signals_disconnect(&signals, arg);
    return NULL;
}

int main(void)
{
    pthread_t e, l;

    signals_connect(&signals, &first, note);
    signals_connect(&signals, &second, note);
    pthread_create(&e, NULL, emitter, NULL);
    pthread_create(&l, NULL, leaver, &second);
    pthread_join(e, NULL);
    pthread_join(l, NULL);
    printf("%d calls, at most %d\n", first.calls, most);
    return first.calls == 2 ? 0 : 1;
}
