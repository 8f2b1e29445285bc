/* libc calls back into the program from several threads: qsort, bsearch, tsearch, twalk. */
//~ exit: 0
//~ stdout: sorted 3, found 3, comparisons counted yes
//~ stdout: tree in order: 1 3 5 7 9
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ITEMS = 100 };

static atomic_int comparisons;
static int odd[] = {5, 1, 9, 3, 7};

static int compare(const void *a, const void *b)
{
    atomic_fetch_add(&comparisons, 1);
    return *(const int *)a - *(const int *)b;
}

static void *sort(void *arg)
{
    int *result = arg, item[ITEMS], key = 50, sorted = 1;
    for (int i = 0; i < ITEMS; i++)
        item[i] = i * 37 % ITEMS;
    qsort(item, ITEMS, sizeof *item, compare);
    for (int i = 0; i < ITEMS; i++)
        sorted = sorted && item[i] == i;
    result[0] = sorted;
    result[1] = bsearch(&key, item, ITEMS, sizeof *item, compare) == &item[50];
    return NULL;
}

static void print(const void *node, VISIT which, int depth)
{
    (void)depth;
    if (which == postorder || which == leaf)
        printf(" %d", **(int *const *)node);
}

int main(void)
{
    pthread_t t[THREADS];
    int result[THREADS][2], sorted = 0, found = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, sort, result[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sorted += result[i][0];
        found += result[i][1];
    }
    printf("sorted %d, found %d, comparisons counted %s\n", sorted, found,
           atomic_load(&comparisons) >= THREADS * ITEMS ? "yes" : "no");
    void *root = NULL;
    for (int i = 0; i < 5; i++)
        tsearch(&odd[i], &root, compare);
    printf("tree in order:");
    twalk(root, print);
    putchar('\n');
    for (int i = 0; i < 5; i++)
        tdelete(&odd[i], &root, compare);
    return 0;
}
