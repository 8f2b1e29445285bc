/* SPDX-License-Identifier: Apache-2.0
 *
 * session: a session is closed while a logger still looks at it. Use after free: the logger is
 * not joined before the memory is given back. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct session {
    pthread_mutex_t lock;
    int requests;
};

static void *logger(void *arg)
{
    struct session *s = arg;
    pthread_mutex_lock(&s->lock);
    int requests = s->requests;
    pthread_mutex_unlock(&s->lock);
    printf("%d requests\n", requests);
    return NULL;
}

static void *closer(void *arg)
{
    struct session *s = arg;
    pthread_mutex_lock(&s->lock);
    s->requests = 0;
    pthread_mutex_unlock(&s->lock);
    free(s);
    return NULL;
}

int main(void)
{
    struct session *s = malloc(sizeof *s);
    pthread_t threads[2];
    pthread_mutex_init(&s->lock, NULL);
    s->requests = 3;
    pthread_create(&threads[0], NULL, logger, s);
    pthread_create(&threads[1], NULL, closer, s);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
