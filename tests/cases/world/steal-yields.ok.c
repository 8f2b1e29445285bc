// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Work stealing: a lock for each worker's jobs; who finds none gives way, and takes all the
// locks again. Who waits for one of them gets it in the end.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
enum { W = 3, CAP = 32 };
struct deque {
    int v[CAP];
    int head, tail;
    pthread_mutex_t lock;
};
static struct deque d[W];
static int pending = 0, sum = 0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static void push(int w, int x)
{
    pthread_mutex_lock(&lock);
    pending++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&d[w].lock);
    d[w].v[d[w].tail++ % CAP] = x;
    pthread_mutex_unlock(&d[w].lock);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&lock);
}
static int take(int w, int mine)
{
    int x = -1;
    pthread_mutex_lock(&d[w].lock);
    if (d[w].head != d[w].tail)
        x = mine ? d[w].v[--d[w].tail % CAP] : d[w].v[d[w].head++ % CAP];
    pthread_mutex_unlock(&d[w].lock);
    return x;
}
static int find(int w)
{
    int x = take(w, 1);
    for (int i = 1; i < W && x < 0; i++)
        x = take((w + i) % W, 0);
    return x;
}
static void *run(void *arg)
{
    int w = *(int *)arg;
    for (;;) {
        int x = find(w);
        if (x >= 0) {
            if (x > 1) {
                push(w, x / 2);
                push(w, x - x / 2);
            }
            pthread_mutex_lock(&lock);
            sum += x <= 1 ? x : 0;
            if (--pending == 0)
                pthread_cond_broadcast(&change);
            pthread_mutex_unlock(&lock);
            continue;
        }
        pthread_mutex_lock(&lock);
        if (pending == 0) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
}
int main(void)
{
    pthread_t t[W];
    int id[W];
    for (int i = 0; i < W; i++)
        pthread_mutex_init(&d[i].lock, NULL);
    push(0, 5);
    for (int i = 0; i < W; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, run, &id[i]);
    }
    for (int i = 0; i < W; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return sum == 5 ? 0 : 1;
}
