/* SPDX-License-Identifier: Apache-2.0
 *
 * stage: the actor reads its part when the curtain rises; the author hands it in when it is
 * written, and nothing makes the one wait for the other. Order violation. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int part; /* 0: the author is not done */
static int lines;

static void *actor(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    lines = part * 10;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *author(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    part = 3;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, author, NULL);
    pthread_create(&threads[1], NULL, actor, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d lines\n", lines);
    return lines > 0 ? 0 : 1;
}
