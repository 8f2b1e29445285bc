// SPDX-License-Identifier: Apache-2.0
// Two threads look up names in all ways; the count of them is not guarded if this is "bug".
#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hosts;
static void *look(void *arg)
{
    struct addrinfo *list, hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct hostent host, *found = NULL;
    char room[512], name[64];
    int error = 0;
    if (getaddrinfo("one.test", "80", &hints, &list) != 0)
        exit(3);
    if (((struct sockaddr_in *)list->ai_addr)->sin_addr.s_addr != inet_addr("192.0.2.7"))
        exit(4);
    if (getnameinfo(list->ai_addr, list->ai_addrlen, name, sizeof name, NULL, 0, NI_NAMEREQD) !=
            0 ||
        strcmp(name, "one.test") != 0)
        exit(5);
    freeaddrinfo(list);
    if (gethostbyname_r("two.test", &host, room, sizeof room, &found, &error) != 0 || !found)
        exit(6);
    if (strcmp(found->h_name, "two.test") != 0 || found->h_length != 4 ||
        ((unsigned char *)found->h_addr_list[0])[3] != 7 || found->h_addr_list[1] ||
        found->h_aliases[0])
        exit(7);
    if (getaddrinfo("none.wrong", NULL, &hints, &list) != EAI_NONAME)
        exit(8);
#ifndef bug
    pthread_mutex_lock(&lock);
#endif
    hosts++;
#ifndef bug
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, look, NULL);
    look(NULL);
    pthread_join(t, NULL);
    struct hostent *h = gethostbyname("three.test");
    printf("%d %s\n", hosts, h ? inet_ntoa(*(struct in_addr *)h->h_addr_list[0]) : "?");
    return 0;
}
