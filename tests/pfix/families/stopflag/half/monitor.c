// SPDX-License-Identifier: Apache-2.0
// A monitor thread beats until it is told to stop. The owner looks at the number of beats
// from time to time, and stops the monitor after a few of them.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdbool.h>

struct monitor {
    pthread_t thread;
    volatile bool running;
    int beats;
    int last_seen;
};

static void *monitor_main(void *arg)
{
    struct monitor *m = arg;
    while (m->running) {
        m->beats++;
        sched_yield();
    }
    return NULL;
}

static int monitor_start(struct monitor *m)
{
    m->running = true;
    m->beats = 0;
    m->last_seen = 0;
    return pthread_create(&m->thread, NULL, monitor_main, m);
}

/* True if it has beaten since we looked last. */
static bool monitor_alive(struct monitor *m)
{
    int beats = m->beats;
    bool alive = beats != m->last_seen;
    m->last_seen = beats;
    return alive;
}

static void monitor_stop(struct monitor *m)
{
    m->running = false;
    pthread_join(m->thread, NULL);
}

int main(void)
{
    static struct monitor monitor;
    int rounds = 0;

    if (monitor_start(&monitor) != 0)
        return 1;
    for (int i = 0; i < 5 && rounds < 2; i++) {
        if (monitor_alive(&monitor))
            rounds++;
        sched_yield();
    }
    monitor_stop(&monitor);
    printf("%s\n", monitor.beats >= rounds ? "ok" : "lost beats");
    return monitor.beats >= rounds ? 0 : 1;
}
