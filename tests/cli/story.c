/* Two counts of a table that are changed under a lock held for reading only: one bug, several
 * races and broken pairs. */
#include <pthread.h>
#include <stdio.h>

static struct {
    pthread_rwlock_t lock;
    int hits, last;
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static void note(int key)
{
    table.hits++, table.last = table.hits + key;
}

static void *look(void *key)
{
    pthread_rwlock_rdlock(&table.lock);
    note(*(int *)key);
    pthread_rwlock_unlock(&table.lock);
    return NULL;
}

int main(void)
{
    int keys[] = {10, 20};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, look, &keys[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", table.hits);
    return table.hits != 2;
}
