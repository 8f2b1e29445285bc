// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As buggyprogram.c, mended by hand: one lock for all users, held from drawing the number to
// entering it.
#include <pthread.h>
#include <stdio.h>

enum { USERS = 3, NONE_YET = -3 };

struct user {
    int number;
    unsigned seed;
};

static pthread_mutex_t draw_lock = PTHREAD_MUTEX_INITIALIZER;
static int random_number;
static int history[USERS], presented[USERS], generated[USERS];
static struct user users[USERS];

/* The same sequence for all users: they all begin with the same seed. */
static int user_random(struct user *u)
{
    u->seed = u->seed * 1103515245u + 12345u;
    return (int)((u->seed >> 16) % 1000u);
}

static void user_generate(struct user *u)
{
    int drawn = user_random(u);
    random_number = drawn;
    generated[u->number] = drawn;
}

/* Where in the history the number stands; USERS: it is new. */
static int history_search(void)
{
    int i;
    for (i = 0; i < USERS; i++)
        if (history[i] == random_number)
            break;
    return i;
}

static void user_present(struct user *u)
{
    presented[u->number] = random_number;
}

static void user_record(struct user *u)
{
    history[u->number] = random_number;
}

static void *user_main(void *argument)
{
    struct user *u = argument;
    int place;
    pthread_mutex_lock(&draw_lock);
    do {
        user_generate(u);
        place = history_search();
    } while (place != USERS);
    user_present(u);
    user_record(u);
    pthread_mutex_unlock(&draw_lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[USERS];
    for (int i = 0; i < USERS; i++) {
        history[i] = presented[i] = generated[i] = NONE_YET;
        users[i].number = i;
        users[i].seed = 1;
    }
    for (int i = 0; i < USERS; i++)
        pthread_create(&threads[i], NULL, user_main, &users[i]);
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], NULL);

    int wrong = 0;
    for (int i = 0; i < USERS; i++)
        if (generated[i] != presented[i] || presented[i] != history[i])
            wrong++;
    printf("%d users lost their number\n", wrong);
    return wrong ? 1 : 0;
}
