// SPDX-License-Identifier: Apache-2.0
#include "pump.h"

#include <stdio.h>

static struct pump pump;
static const int lengths[] = {10, -1, 20};
static int drained;

static void *reader_main(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        pump_add(&pump, lengths[i]);
    return NULL;
}

static void *writer_main(void *arg)
{
    drained += pump_drain(&pump, *(int *)arg);
    return NULL;
}

int main(void)
{
    pthread_t reader, writer;
    int most = 2;

    pump_init(&pump);
    pthread_create(&reader, NULL, reader_main, NULL);
    pthread_create(&writer, NULL, writer_main, &most);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    drained += pump_drain(&pump, 3);
    printf("%d lines, %d bytes\n", drained, pump.bytes);
    return drained != 3 || pump.bytes != 30;
}
