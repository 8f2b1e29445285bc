// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As pingpong.c, mended by hand: who has the ball has the lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PLAYERS = 4, HELD = 2000 };

struct player {
    int i;
};

struct game {
    pthread_mutex_t lock;
    struct player *player;
    int bounces[PLAYERS];
};

struct turn {
    struct game *game;
    int number;
};

static struct game game = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int player_i(const struct player *p)
{
    return p->i;
}

static void hold(void)
{
    for (volatile int i = 0; i < HELD; i++)
        ;
}

static void game_bounce(struct game *g, int number)
{
    pthread_mutex_lock(&g->lock);
    g->bounces[number] = player_i(g->player);
    struct player *local = g->player;
    g->player = NULL;
    hold();
    g->player = local;
    pthread_mutex_unlock(&g->lock);
}

static void *play(void *argument)
{
    struct turn *t = argument;
    game_bounce(t->game, t->number);
    return NULL;
}

int main(void)
{
    struct turn turns[PLAYERS];
    pthread_t threads[PLAYERS];
    game.player = malloc(sizeof *game.player);
    if (!game.player)
        return 2;
    game.player->i = 7;
    for (int i = 0; i < PLAYERS; i++) {
        turns[i] = (struct turn){&game, i};
        pthread_create(&threads[i], NULL, play, &turns[i]);
        usleep(1000);
    }
    for (int i = 0; i < PLAYERS; i++)
        pthread_join(threads[i], NULL);

    int sum = 0;
    for (int i = 0; i < PLAYERS; i++)
        sum += game.bounces[i];
    printf("%d bounces of %d\n", sum / 7, player_i(game.player));
    free(game.player);
    return 0;
}
