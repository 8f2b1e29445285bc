// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
//
// Each thread cuts a text of its own, and remembers where itself.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int count(char *text)
{
    int n = 0;
    char *next;
    for (char *word = strtok_r(text, " ", &next); word; word = strtok_r(NULL, " ", &next))
        n++;
    return n;
}

static void *one(void *arg)
{
    char text[] = "a b c";
    return count(text) == 3 ? arg : NULL;
}

static void *two(void *arg)
{
    char text[] = "d e f";
    return count(text) == 3 ? arg : NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
