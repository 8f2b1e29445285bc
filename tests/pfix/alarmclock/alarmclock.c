// SPDX-License-Identifier: Apache-2.0
//~ fails: crash, deadlock
//~ seconds: 5
// A clock that ticks five times, and eight clients who want to be woken two ticks from now. The
// monitor keeps a sorted list of at most two times at which somebody has to be woken, each with
// a lock and condition of its own. A client puts its time into the list under the monitor's
// lock, but looks it up again, and begins to wait, without: the entry may be gone by then (it
// waits for ever), or just be leaving (it follows a null pointer).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TICKS = 5, CLIENTS = 8, AHEAD = 2, ENTRIES_MAX = 2 };

struct entry {
    int time;
    pthread_mutex_t lock;
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
    pthread_mutex_init(&e->lock, NULL);
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
        pthread_mutex_lock(&e->lock);
        pthread_cond_broadcast(&e->wake);
        pthread_mutex_unlock(&e->lock);
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
    pthread_mutex_unlock(&m->lock);

    struct entry *e = monitor_find(m, time);
    if (!e)
        return;
    pthread_mutex_lock(&e->lock);
    if (monitor_find(m, time))
        pthread_cond_wait(&e->wake, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

static void *clock_main(void *unused)
{
    (void)unused;
    while (monitor.now < TICKS) {
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
