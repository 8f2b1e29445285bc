// SPDX-License-Identifier: Apache-2.0
//~ check: race
// strtok keeps its place in one hidden pointer: two threads that split lines of their own race.
#include <pthread.h>
#include <string.h>

static int words[2];

static void *count(void *arg)
{
    int me = *(int *)arg;
    char line[] = "one two three";
    for (char *w = strtok(line, " "); w != NULL; w = strtok(NULL, " ")) //~ here
        words[me]++;
    return NULL;
}

int main(void)
{
    int who[2] = {0, 1};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, &who[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
