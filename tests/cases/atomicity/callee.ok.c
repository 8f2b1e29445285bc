// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The check is a function of its own, under the read lock; the act looks again.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char name[16];
    struct entry *next;
};

static struct entry *list;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static struct entry *find(const char *name)
{
    for (struct entry *e = list; e; e = e->next)
        if (!strcmp(e->name, name))
            return e;
    return NULL;
}

static struct entry *intern(const char *name)
{
    pthread_rwlock_rdlock(&lock);
    struct entry *e = find(name);
    pthread_rwlock_unlock(&lock);
    if (e)
        return e;
    pthread_rwlock_wrlock(&lock);
    e = find(name);
    if (!e) {
        e = calloc(1, sizeof *e);
        strcpy(e->name, name);
        e->next = list;
        list = e;
    }
    pthread_rwlock_unlock(&lock);
    return e;
}

static void *worker(void *arg)
{
    intern("alpha");
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int count = 0;
    for (struct entry *e = list; e; e = e->next)
        count++;
    if (count != 1)
        abort();
    return 0;
}
