/* Threads work on arrays, structures and variable-length arrays on another thread's stack. */
//~ exit: 0
//~ stdout: sum 4950, largest 99, nested 3, twice that 6
#include <pthread.h>
#include <stdio.h>

struct job {
    const int *items;
    int count, sum, largest;
};

static void *summarise(void *arg)
{
    struct job *j = arg;
    for (int i = 0; i < j->count; i++) {
        j->sum += j->items[i];
        j->largest = j->items[i] > j->largest ? j->items[i] : j->largest;
    }
    return NULL;
}

static void *nest(void *arg)
{
    int *depth = arg, mine = *depth + 1;
    if (mine < 3) {
        pthread_t t;
        pthread_create(&t, NULL, nest, &mine); /* writes into this frame */
        pthread_join(t, NULL);
    }
    *depth = mine;
    return NULL;
}

static void split(int count, struct job *total)
{
    int items[count], half = count / 2;
    for (int i = 0; i < count; i++)
        items[i] = i;
    struct job left = {items, half, 0, 0}, right = {items + half, count - half, 0, 0};
    pthread_t l, r;
    pthread_create(&l, NULL, summarise, &left);
    pthread_create(&r, NULL, summarise, &right);
    pthread_join(l, NULL);
    pthread_join(r, NULL);
    total->sum = left.sum + right.sum;
    total->largest = left.largest > right.largest ? left.largest : right.largest;
}

int main(void)
{
    struct job total = {0};
    int depth = 0;
    split(100, &total);
    nest(&depth);
    const int known = 2; /* for the compiler, an array of variable length and constant size */
    int items[known];
    for (int i = 0; i < known; i++)
        items[i] = depth;
    struct job few = {items, known, 0, 0};
    pthread_t t;
    pthread_create(&t, NULL, summarise, &few);
    pthread_join(t, NULL);
    printf("sum %d, largest %d, nested %d, twice that %d\n", total.sum, total.largest, depth,
           few.sum);
    return 0;
}
