// SPDX-License-Identifier: Apache-2.0
/*
 * slots: a one-place buffer between parsers and formatters.
 */
#include <pthread.h>
#include <stdio.h>

#define PAIRS 2
#define ITEMS 2

struct slot {
        pthread_mutex_t mtx;
        pthread_cond_t cv;
        int filled;
        int item;
};

static struct slot the_slot = {
    .mtx = PTHREAD_MUTEX_INITIALIZER,
    .cv = PTHREAD_COND_INITIALIZER,
};

static void slot_enter(struct slot *s)
{
        pthread_mutex_lock(&s->mtx);
}

static void slot_leave(struct slot *s)
{
        pthread_mutex_unlock(&s->mtx);
}

static void slot_sleep(struct slot *s)
{
        pthread_cond_wait(&s->cv, &s->mtx);
}

static void slot_wake_all(struct slot *s)
{
        pthread_cond_broadcast(&s->cv);
}

static void slot_put(struct slot *s, int item)
{
        slot_enter(s);
        while (s->filled)
                slot_sleep(s);
        s->item = item;
        s->filled = 1;
        slot_wake_all(s);
        slot_leave(s);
}

static int slot_take(struct slot *s)
{
        int item;

        slot_enter(s);
        while (!s->filled)
                slot_sleep(s);
        item = s->item;
        s->filled = 0;
        slot_wake_all(s);
        slot_leave(s);
        return item;
}

/* Returns when nothing is in the slot. */
static void slot_flush(struct slot *s)
{
        slot_enter(s);
        while (s->filled)
                slot_sleep(s);
        slot_leave(s);
}

static void *parser(void *arg)
{
        int base = *(int *)arg;

        for (int i = 0; i < ITEMS; i++)
                slot_put(&the_slot, base + i);
        return NULL;
}

static void *formatter(void *arg)
{
        int *sum = arg;

        for (int i = 0; i < ITEMS; i++)
                *sum += slot_take(&the_slot);
        return NULL;
}

int main(void)
{
        pthread_t parsers[PAIRS], formatters[PAIRS];
        int base[PAIRS] = {100, 200}, sum[PAIRS] = {0, 0};

        for (int i = 0; i < PAIRS; i++) {
                pthread_create(&formatters[i], NULL, formatter, &sum[i]);
                pthread_create(&parsers[i], NULL, parser, &base[i]);
        }
        slot_flush(&the_slot);
        for (int i = 0; i < PAIRS; i++) {
                pthread_join(parsers[i], NULL);
                pthread_join(formatters[i], NULL);
        }
        if (sum[0] + sum[1] != 602) {
                fprintf(stderr, "sum %d\n", sum[0] + sum[1]);
                return 1;
        }
        return 0;
}
