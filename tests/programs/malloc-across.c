/* Blocks are allocated in one thread, grown in a second and freed in a third. */
//~ exit: 0
//~ stdout: freed 300, wrong 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 300 };

struct belt {
    sem_t full, empty;
    char *block;
};

static struct belt belts[2];

static void put(struct belt *b, char *block)
{
    sem_wait(&b->empty);
    b->block = block;
    sem_post(&b->full);
}

static char *take(struct belt *b)
{
    sem_wait(&b->full);
    char *block = b->block;
    sem_post(&b->empty);
    return block;
}

static void *allocate(void *arg)
{
    for (int i = 0; i < BLOCKS; i++) {
        char *block = malloc(16);
        snprintf(block, 16, "block %d", i);
        put(&belts[0], block);
    }
    return arg;
}

static void *grow(void *arg)
{
    for (int i = 0; i < BLOCKS; i++) {
        char *block = realloc(take(&belts[0]), 400);
        put(&belts[1], strcat(block, " has grown"));
    }
    return arg;
}

int main(void)
{
    pthread_t a, g;
    int wrong = 0, freed = 0;
    for (int i = 0; i < 2; i++) {
        sem_init(&belts[i].full, 0, 0);
        sem_init(&belts[i].empty, 0, 1);
    }
    pthread_create(&a, NULL, allocate, NULL);
    pthread_create(&g, NULL, grow, NULL);
    for (; freed < BLOCKS; freed++) {
        char expected[32], *block = take(&belts[1]);
        snprintf(expected, sizeof expected, "block %d has grown", freed);
        wrong += strcmp(block, expected) != 0;
        free(block);
    }
    pthread_join(a, NULL);
    pthread_join(g, NULL);
    printf("freed %d, wrong %d\n", freed, wrong);
    return 0;
}
