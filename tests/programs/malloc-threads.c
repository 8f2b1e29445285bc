/* Every allocation function from all threads at once; no block is damaged. */
//~ exit: 0
//~ stdout: blocks 2000, damaged 0, aligned yes
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 500, KEPT = 16 };

struct result {
    int id, blocks, damaged, misaligned;
};

static int is_filled(const unsigned char *p, size_t size, int with)
{
    for (size_t i = 0; i < size; i++)
        if (p[i] != with)
            return 0;
    return 1;
}

static void *churn(void *arg)
{
    struct result *r = arg;
    unsigned char *kept[KEPT] = {NULL};
    size_t size[KEPT] = {0};
    unsigned seed = (unsigned)r->id + 1;
    for (int i = 0; i < ROUNDS; i++, r->blocks++) {
        int k = i % KEPT;
        seed = seed * 1103515245 + 12345;
        size_t want = 1 + (seed >> 16) % 2000;
        r->damaged += !is_filled(kept[k], size[k], r->id + 1);
        if (i % 3 == 0) {
            size_t same = size[k] < want ? size[k] : want;
            kept[k] = realloc(kept[k], want);
            r->damaged += !is_filled(kept[k], same, r->id + 1);
        } else if (i % 3 == 1) {
            free(kept[k]);
            kept[k] = calloc(want, 1);
            r->damaged += !is_filled(kept[k], want, 0);
        } else {
            void *p = NULL;
            free(kept[k]);
            r->misaligned += posix_memalign(&p, 64, want) != 0 || (uintptr_t)p % 64 != 0;
            kept[k] = p;
        }
        r->damaged += malloc_usable_size(kept[k]) < want;
        memset(kept[k], r->id + 1, size[k] = want);
    }
    for (int k = 0; k < KEPT; k++)
        free(kept[k]);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    struct result r[THREADS] = {{0}}, sum = {0};
    for (int i = 0; i < THREADS; i++) {
        r[i].id = i;
        pthread_create(&t[i], NULL, churn, &r[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sum.blocks += r[i].blocks;
        sum.damaged += r[i].damaged;
        sum.misaligned += r[i].misaligned;
    }
    printf("blocks %d, damaged %d, aligned %s\n", sum.blocks, sum.damaged,
           sum.misaligned == 0 ? "yes" : "no");
    return 0;
}
