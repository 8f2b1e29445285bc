/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over numbers, rows and tiles on the threads of a pool, twice, so that they sleep and
 * wake up between two of them; every item is done once. */
#include <pthreadpool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ITEMS = 10, ROWS = 3, ROUNDS = 2 };

static int done[ITEMS], tiles[ROWS][ITEMS];
static atomic_int sum;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void item(void *factor, size_t i)
{
    done[i] += *(int *)factor * (int)i;
    atomic_fetch_add(&sum, (int)i);
}

static void tile(void *unused, size_t row, size_t from, size_t count)
{
    (void)unused;
    for (size_t i = from; i < from + count; i++)
        tiles[row][i]++;
}

int main(void)
{
    pthreadpool_t pool = pthreadpool_create(THREADS);
    must(pool && pthreadpool_get_threads_count(pool) == THREADS, "pool");
    for (int round = 1; round <= ROUNDS; round++) {
        int factor = round;
        pthreadpool_parallelize_1d(pool, item, &factor, ITEMS,
                                   round == 1 ? 0 : PTHREADPOOL_FLAG_YIELD_WORKERS);
        for (int i = 0; i < ITEMS; i++)
            must(done[i] == (round == 1 ? i : 3 * i), "item");
        pthreadpool_parallelize_2d_tile_1d(pool, tile, NULL, ROWS, ITEMS, 4, 0);
    }
    pthreadpool_destroy(pool);
    for (int i = 0; i < ITEMS * ROWS; i++)
        must(tiles[i / ITEMS][i % ITEMS] == ROUNDS, "tile");
    must(sum == ROUNDS * ITEMS * (ITEMS - 1) / 2, "sum");
    puts("good");
    return 0;
}
