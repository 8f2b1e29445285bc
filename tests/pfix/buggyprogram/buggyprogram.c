// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
// Three users draw a number that nobody has drawn before, present it, and enter it into the
// history. The number just drawn lies in one shared variable; every step is locked, but each
// user locks herself, so another user may draw in between.
#include <pthread.h>
#include <stdio.h>

enum { USERS = 3, NONE_YET = -3 };

struct user {
    pthread_mutex_t lock;
    int number;
    unsigned seed;
};

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
    pthread_mutex_lock(&u->lock);
    random_number = drawn;
    generated[u->number] = drawn;
    pthread_mutex_unlock(&u->lock);
}

/* Where in the history the number stands; USERS: it is new. */
static int user_search(struct user *u)
{
    int i;
    pthread_mutex_lock(&u->lock);
    for (i = 0; i < USERS; i++)
        if (history[i] == random_number)
            break;
    pthread_mutex_unlock(&u->lock);
    return i;
}

static void user_present(struct user *u)
{
    pthread_mutex_lock(&u->lock);
    presented[u->number] = random_number;
    pthread_mutex_unlock(&u->lock);
}

static void user_record(struct user *u)
{
    pthread_mutex_lock(&u->lock);
    history[u->number] = random_number;
    pthread_mutex_unlock(&u->lock);
}

static void *user_main(void *argument)
{
    struct user *u = argument;
    int place;
    do {
        user_generate(u);
        place = user_search(u);
    } while (place != USERS);
    user_present(u);
    user_record(u);
    return NULL;
}

int main(void)
{
    pthread_t threads[USERS];
    for (int i = 0; i < USERS; i++) {
        history[i] = presented[i] = generated[i] = NONE_YET;
        users[i].number = i;
        users[i].seed = 1;
        pthread_mutex_init(&users[i].lock, NULL);
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
