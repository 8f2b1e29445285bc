// SPDX-License-Identifier: Apache-2.0
// Two threads look up a host, and then count its addresses under a lock. What libc does
// for that, and what it leaves in memory that is used again, is not seen: a replay is exact
// without it.
//~ check: quiet
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *left[8]; /* blocks as they come, with what was in them */

static void *look(void *unused)
{
    struct addrinfo *list = NULL;
    const struct addrinfo hints = {.ai_flags = AI_CANONNAME};
    char host[NI_MAXHOST];
    if (getaddrinfo("localhost", "80", &hints, &list) != 0 || !list->ai_canonname)
        exit(2);
    if (getnameinfo(list->ai_addr, list->ai_addrlen, host, sizeof host, NULL, 0,
                    NI_NUMERICHOST) != 0)
        exit(2);
    pthread_mutex_lock(&lock);
    for (struct addrinfo *i = list; i; i = i->ai_next)
        streams += i->ai_socktype == SOCK_STREAM;
    pthread_mutex_unlock(&lock);
    freeaddrinfo(list);
    return unused;
}

int main(void)
{
    pthread_t t;
    char copy[8][256];
    pthread_create(&t, NULL, look, NULL);
    look(NULL);
    pthread_join(t, NULL);
    if (!getpwuid(getuid()))
        exit(2);
    for (int i = 0; i < 8; i++) {
        left[i] = malloc((size_t)(i + 1) * 32);
        memcpy(copy[i], left[i], (size_t)(i + 1) * 32);
    }
    for (int i = 0; i < 8; i++)
        free(left[i]);
    printf("%d %d\n", streams > 0, copy[3][0] == 0);
    return 0;
}
