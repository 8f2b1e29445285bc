// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two clients talk over one connection, one at a time.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2];
static atomic_int wrong;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *server(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int question;
        must(read(ends[1], &question, sizeof question) == sizeof question);
        int answer = question * 2;
        must(write(ends[1], &answer, sizeof answer) == sizeof answer);
    }
    return arg;
}

static void *client(void *arg)
{
    int question = *(int *)arg, answer;
    pthread_mutex_lock(&lock);
    must(write(ends[0], &question, sizeof question) == sizeof question);
    must(read(ends[0], &answer, sizeof answer) == sizeof answer);
    pthread_mutex_unlock(&lock);
    if (answer != question * 2)
        atomic_store(&wrong, 1);
    return NULL;
}

int main(void)
{
    int questions[2] = {10, 20};
    pthread_t t[2];
    must(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    pthread_t s;
    pthread_create(&s, NULL, server, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, &questions[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_join(s, NULL);
    puts(wrong ? "answers mixed up" : "answers fine");
    return wrong;
}
