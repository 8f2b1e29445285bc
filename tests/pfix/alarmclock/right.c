// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As alarmclock.c, mended by hand: a client looks up its entry and waits under the monitor's
// lock, until the entry's time has come.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TICKS = 5, CLIENTS = 8, AHEAD = 2, ENTRIES_MAX = 2 };

struct entry {
    int time;
    pthread_cond_t wake;
};

struct monitor {
    pthread_mutex_t lock;
    int now;
    struct entry *list[ENTRIES_MAX]; /* by time */
    int size;
};

static struct monitor monitor = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct entry *entry_new(int time)
{
    struct entry *e = malloc(sizeof *e);
    if (!e)
        abort();
    e->time = time;
    pthread_cond_init(&e->wake, NULL);
    return e;
}

/* NULL: nobody has to be woken then, or not any more. */
static struct entry *monitor_find(struct monitor *m, int time)
{
    for (int i = 0; i < m->size; i++)
        if (m->list[i]->time == time)
            return m->list[i];
    return NULL;
}

/* Does nothing if the list is full. */
static void monitor_insert(struct monitor *m, int time)
{
    if (monitor_find(m, time) || m->size == ENTRIES_MAX)
        return;
    int place = m->size;
    while (place > 0 && m->list[place - 1]->time > time) {
        m->list[place] = m->list[place - 1];
        place--;
    }
    m->list[place] = entry_new(time);
    m->size++;
}

static struct entry *monitor_remove_first(struct monitor *m)
{
    struct entry *first = m->list[0];
    for (int i = 1; i < m->size; i++)
        m->list[i - 1] = m->list[i];
    m->list[m->size - 1] = NULL;
    m->size--;
    return first;
}

static void monitor_tick(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    m->now++;
    if (m->size > 0 && m->list[0]->time == m->now) {
        struct entry *e = monitor_remove_first(m);
        pthread_cond_broadcast(&e->wake);
    }
    pthread_mutex_unlock(&m->lock);
}

static void monitor_wake_me(struct monitor *m, int interval)
{
    pthread_mutex_lock(&m->lock);
    int time = m->now + interval;
    if (time > TICKS) {
        pthread_mutex_unlock(&m->lock);
        return;
    }
    monitor_insert(m, time);
    struct entry *e = monitor_find(m, time);
    if (e)
        while (m->now < time)
            pthread_cond_wait(&e->wake, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

static void *clock_main(void *unused)
{
    (void)unused;
    for (int i = 0; i < TICKS; i++) {
        monitor_tick(&monitor);
        usleep(10000);
    }
    return NULL;
}

static void *client_main(void *unused)
{
    (void)unused;
    monitor_wake_me(&monitor, AHEAD);
    return NULL;
}

int main(void)
{
    pthread_t clock, clients[CLIENTS];
    pthread_create(&clock, NULL, clock_main, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client_main, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(clock, NULL);
    printf("%d ticks\n", monitor.now);
    return 0;
}
