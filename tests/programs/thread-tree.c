/* Threads create and join threads of their own, four levels deep, to sort by merging. */
//~ exit: 0
//~ stdout: sorted yes, threads 31
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 1024, DEPTH = 4 };

static int data[ITEMS];
static atomic_int threads;

struct part {
    int *first;
    int length, depth;
};

static void merge(int *a, int length)
{
    int half = length / 2, i = 0, j = half, k = 0, out[ITEMS];
    while (k < length)
        out[k++] = j == length || (i < half && a[i] <= a[j]) ? a[i++] : a[j++];
    memcpy(a, out, (size_t)length * sizeof *a);
}

static void sort(int *a, int length)
{
    if (length < 2)
        return;
    sort(a, length / 2);
    sort(a + length / 2, length - length / 2);
    merge(a, length);
}

static void *sort_in_threads(void *arg)
{
    struct part *p = arg;
    atomic_fetch_add(&threads, 1);
    if (p->depth == 0) {
        sort(p->first, p->length);
        return NULL;
    }
    int half = p->length / 2;
    struct part left = {p->first, half, p->depth - 1};
    struct part right = {p->first + half, p->length - half, p->depth - 1};
    pthread_t l, r;
    pthread_create(&l, NULL, sort_in_threads, &left);
    pthread_create(&r, NULL, sort_in_threads, &right);
    pthread_join(l, NULL);
    pthread_join(r, NULL);
    merge(p->first, p->length);
    return NULL;
}

int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < ITEMS; i++) {
        seed = seed * 1103515245 + 12345;
        data[i] = (int)(seed >> 16);
    }
    sort_in_threads(&(struct part){data, ITEMS, DEPTH});
    int sorted = 1;
    for (int i = 1; i < ITEMS; i++)
        sorted = sorted && data[i - 1] <= data[i];
    printf("sorted %s, threads %d\n", sorted ? "yes" : "no", atomic_load(&threads));
    return 0;
}
