/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    pthread_mutex_t m;
    pthread_cond_t c;
} mon_t;
static int mon_enter(mon_t *m)
{
    return pthread_mutex_lock(&m->m);
}
static int mon_exit(mon_t *m)
{
    return pthread_mutex_unlock(&m->m);
}
static int mon_wait(mon_t *m)
{
    return pthread_cond_wait(&m->c, &m->m);
}
static int mon_wake(mon_t *m)
{
    return pthread_cond_signal(&m->c);
}

static int mon_wake_all(mon_t *m)
{
    return pthread_cond_broadcast(&m->c);
}

struct chan {
    mon_t mon;
    int buf[2];
    int n;
    int closed;
};

static int chan_send(struct chan *ch, int v)
{
    mon_enter(&ch->mon);
    if (ch->closed) {
        mon_exit(&ch->mon);
        return -1;
    }
    while (ch->n == 2)
        mon_wait(&ch->mon);
    ch->buf[ch->n++] = v;
    mon_wake(&ch->mon);
    mon_exit(&ch->mon);
    return 0;
}

static int chan_recv(struct chan *ch, int *out)
{
    mon_enter(&ch->mon);
    while (ch->n == 0 && !ch->closed)
        mon_wait(&ch->mon);
    if (ch->n == 0) {
        mon_exit(&ch->mon);
        return 0;
    }
    *out = ch->buf[--ch->n];
    mon_wake(&ch->mon);
    mon_exit(&ch->mon);
    return 1;
}

static void chan_close(struct chan *ch)
{
    mon_enter(&ch->mon);
    ch->closed = 1;
    mon_wake_all(&ch->mon);
    mon_exit(&ch->mon);
}

static struct chan ch = {.mon = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}};
static int sums[2];

static void *consumer(void *arg)
{
    int v, me = *(int *)arg;
    while (chan_recv(&ch, &v))
        sums[me] += v;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int ids[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, consumer, &ids[i]);
    for (int i = 1; i <= 3; i++)
        chan_send(&ch, i);
    chan_close(&ch);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sums[0] + sums[1] == 6 ? 0 : 1;
}
