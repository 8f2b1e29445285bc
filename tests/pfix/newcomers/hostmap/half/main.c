// SPDX-License-Identifier: Apache-2.0
#include "hostmap.h"

#include <pthread.h>
#include <stdio.h>

static void *renamer(void *arg)
{
    (void)arg;
    if (hostmap_rename("a", "b") != 0)
        fprintf(stderr, "a is unknown\n");
    return NULL;
}

static void *adder(void *arg)
{
    (void)arg;
    hostmap_add("d", 40);
    return NULL;
}

static void *auditor(void *arg)
{
    int *least = arg;
    int count = hostmap_count();
    if (count < *least)
        *least = count;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int least = 2;

    hostmap_add("a", 10);
    hostmap_add("c", 30);
    pthread_create(&threads[0], NULL, renamer, NULL);
    pthread_create(&threads[1], NULL, adder, NULL);
    pthread_create(&threads[2], NULL, auditor, &least);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    int wrong = 0;
    if (least < 2 || hostmap_count() != 3) {
        fprintf(stderr, "%d hosts, and %d were seen\n", hostmap_count(), least);
        wrong = 1;
    }
    if (hostmap_find("b") != 10 || hostmap_find("c") != 30 || hostmap_find("d") != 40) {
        fprintf(stderr, "a host is lost\n");
        wrong = 1;
    }
    hostmap_clear();
    return wrong;
}
