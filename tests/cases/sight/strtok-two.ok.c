// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// strtok_r keeps its place where the caller says.
#include <pthread.h>
#include <string.h>

static int words[2];

static void *count(void *arg)
{
    int me = *(int *)arg;
    char line[] = "one two three";
    char *place;
    for (char *w = strtok_r(line, " ", &place); w != NULL; w = strtok_r(NULL, " ", &place))
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
