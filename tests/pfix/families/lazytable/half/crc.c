// SPDX-License-Identifier: Apache-2.0
// Check sums with a table that is computed when somebody needs it for the first time.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE_ENTRIES 16

static uint32_t *table;
static int tables_built;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t entry_for(uint32_t nibble)
{
    uint32_t c = nibble;
    for (int k = 0; k < 4; k++)
        c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    return c;
}

static void table_build(void)
{
    table = malloc(TABLE_ENTRIES * sizeof *table);
    if (table == NULL)
        abort();
    for (uint32_t i = 0; i < TABLE_ENTRIES; i++)
        table[i] = entry_for(i);
    tables_built++;
}

static const uint32_t *crc_table(void)
{
    if (table == NULL) {
        pthread_mutex_lock(&table_lock);
        if (table == NULL)
            table_build();
        pthread_mutex_unlock(&table_lock);
    }
    return table;
}

static uint32_t crc(const unsigned char *data, size_t size)
{
    const uint32_t *t = crc_table();
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        c = t[(c ^ data[i]) & 15] ^ (c >> 4);
        c = t[(c ^ (data[i] >> 4)) & 15] ^ (c >> 4);
    }
    return ~c;
}

struct packet {
    const unsigned char *data;
    size_t size;
    uint32_t sum;
};

static void *checker(void *arg)
{
    struct packet *p = arg;
    p->sum = crc(p->data, p->size);
    return NULL;
}

int main(void)
{
    static const unsigned char text[] = "123456789";
    struct packet packets[2] = {{text, 9, 0}, {text, 9, 0}};
    pthread_t threads[2];
    int failed = 0;

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, checker, &packets[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        failed |= packets[i].sum != 0xcbf43926u;
    if (failed || tables_built != 1) {
        fprintf(stderr, "sums %08x %08x, %d tables built\n", (unsigned)packets[0].sum,
                (unsigned)packets[1].sum, tables_built);
        return 1;
    }
    free(table);
    return 0;
}
