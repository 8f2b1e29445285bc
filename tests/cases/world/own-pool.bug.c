// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Objects come from a pool of the program's own; one is used behind giving it back.
#include <pthread.h>
#include <stddef.h>

struct buffer {
    struct buffer *next;
    int length;
};

static struct buffer all[2] = {{.next = &all[1]}};
static struct buffer *idle = &all[0];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;

static struct buffer *get(void)
{
    pthread_mutex_lock(&lock);
    while (idle == NULL)
        pthread_cond_wait(&given, &lock);
    struct buffer *b = idle;
    idle = b->next;
    pthread_mutex_unlock(&lock);
    return b;
}

static void put(struct buffer *b)
{
    pthread_mutex_lock(&lock);
    b->next = idle;
    idle = b;
    pthread_cond_signal(&given);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    int *sum = arg;
    for (int i = 0; i < 3; i++) {
        struct buffer *b = get();
        b->length = i; //~ here
        put(b);
        *sum += b->length; //~ here
    }
    return NULL;
}

int main(void)
{
    int sums[3] = {0};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &sums[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return sums[0] > 6;
}
