/* A bounded queue with two conditions, several producers and consumers, closed at the end. */
//~ exit: 0
//~ stdout: consumed 600, sum 179700, never over 5: yes
#include <pthread.h>
#include <stdio.h>

enum { ROOM = 5, PRODUCERS = 3, CONSUMERS = 2, EACH = 200 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    int items[ROOM], first, count, closed, most;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .not_full = PTHREAD_COND_INITIALIZER,
           .not_empty = PTHREAD_COND_INITIALIZER};
static int id[PRODUCERS];
static int result[CONSUMERS][2];

static void *produce(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < EACH; i++) {
        pthread_mutex_lock(&queue.lock);
        while (queue.count == ROOM)
            pthread_cond_wait(&queue.not_full, &queue.lock);
        queue.items[(queue.first + queue.count++) % ROOM] = me * EACH + i;
        queue.most = queue.count > queue.most ? queue.count : queue.most;
        pthread_cond_signal(&queue.not_empty);
        pthread_mutex_unlock(&queue.lock);
    }
    return NULL;
}

static void *consume(void *arg)
{
    int *mine = arg;
    pthread_mutex_lock(&queue.lock);
    while (queue.count > 0 || !queue.closed) {
        if (queue.count == 0) {
            pthread_cond_wait(&queue.not_empty, &queue.lock);
            continue;
        }
        mine[0]++;
        mine[1] += queue.items[queue.first];
        queue.first = (queue.first + 1) % ROOM;
        queue.count--;
        pthread_cond_signal(&queue.not_full);
    }
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

int main(void)
{
    pthread_t p[PRODUCERS], c[CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&c[i], NULL, consume, result[i]);
    for (int i = 0; i < PRODUCERS; i++) {
        id[i] = i;
        pthread_create(&p[i], NULL, produce, &id[i]);
    }
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(p[i], NULL);
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(c[i], NULL);
    printf("consumed %d, sum %d, never over %d: %s\n", result[0][0] + result[1][0],
           result[0][1] + result[1][1], ROOM, queue.most <= ROOM ? "yes" : "no");
    return 0;
}
