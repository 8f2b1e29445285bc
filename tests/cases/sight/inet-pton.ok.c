// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads parse addresses, each into an object of its own.
#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>

static void *parse(void *text)
{
    struct in_addr parsed;
    memset(&parsed, 0, sizeof parsed);          //~ here
    if (inet_pton(AF_INET, text, &parsed) != 1) //~ here
        return NULL;
    return parsed.s_addr ? text : NULL; //~ here
}

int main(void)
{
    char one[] = "127.0.0.1", two[] = "10.0.0.7";
    pthread_t t[2];
    pthread_create(&t[0], NULL, parse, one);
    pthread_create(&t[1], NULL, parse, two);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
