// SPDX-License-Identifier: Apache-2.0
//~ check: race
// regexec stores where it found something into one array for both threads.
#include <pthread.h>
#include <regex.h>

static regex_t number;
static regmatch_t where[1];

static void *find(void *text)
{
    if (regexec(&number, text, 1, where, 0) != 0) //~ here
        return NULL;
    return (char *)text + where[0].rm_so; //~ here
}

int main(void)
{
    char one[] = "abc 12", two[] = "7 dwarfs";
    pthread_t t[2];
    if (regcomp(&number, "[0-9]+", REG_EXTENDED) != 0)
        return 1;
    pthread_create(&t[0], NULL, find, one);
    pthread_create(&t[1], NULL, find, two);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    regfree(&number);
    return 0;
}
