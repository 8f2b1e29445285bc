// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// Orders for what is in stock. Whether enough is left is one step, taking it is the next.
#include <pthread.h>
#include <stdio.h>

enum { ITEMS = 2, CLERKS = 3 };

struct item {
    const char *name;
    int left;
    pthread_mutex_t lock;
};

static struct item items[ITEMS];
static const int wanted[CLERKS][ITEMS] = {{1, 2}, {2, 1}, {1, 1}};

static int take(struct item *i, int count)
{
    int result = -1;
    pthread_mutex_lock(&i->lock);
    if (i->left >= count) {
        i->left -= count;
        result = 0;
    }
    pthread_mutex_unlock(&i->lock);
    return result;
}

static void *clerk(void *argument)
{
    const int *list = argument;
    for (int i = 0; i < ITEMS; i++)
        if (take(&items[i], list[i]) < 0)
            return argument;
    return NULL;
}

int main(void)
{
    pthread_t threads[CLERKS];
    static const char *const names[ITEMS] = {"bolt", "nut"};
    int lost = 0;
    for (int i = 0; i < ITEMS; i++) {
        items[i].name = names[i];
        items[i].left = 4;
        pthread_mutex_init(&items[i].lock, NULL);
    }
    for (int i = 0; i < CLERKS; i++)
        pthread_create(&threads[i], NULL, clerk, (void *)(unsigned long)wanted[i]);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < ITEMS; i++) {
        printf("%s: %d left\n", items[i].name, items[i].left);
        lost += items[i].left != 0;
    }
    return lost ? 1 : 0;
}
