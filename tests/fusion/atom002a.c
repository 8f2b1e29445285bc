/* SPDX-License-Identifier: Apache-2.0
 *
 * atom002a: atom002, where the second user starts when the first one has set a flag. */
#include "fusion.h"

enum { OBJECTS = 3 };

struct object {
    int references, size, freed;
};

static struct object cache[OBJECTS];
static int objects = OBJECTS; /* a second argument: one will do */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first_done;

static void give_back(struct object *o)
{
    pthread_mutex_lock(&lock);
    o->references = o->references - 1;
    pthread_mutex_unlock(&lock);
    if (o->references == 0) {
        o->freed = o->freed + 1;
        o->size = 0;
    }
}

static void *work(void *arg)
{
    if (*(int *)arg == 0) {
        HEDDLE_ATOMIC_BEGIN();
        for (int i = 0; i < objects; i++)
            give_back(&cache[i]);
        HEDDLE_ATOMIC_END();
        pthread_mutex_lock(&lock);
        first_done = 1;
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    int may = first_done;
    pthread_mutex_unlock(&lock);
    if (may)
        for (int i = 0; i < objects; i++)
            give_back(&cache[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 2)
        objects = 1;
    for (int i = 0; i < objects; i++)
        cache[i] = (struct object){.references = 2, .size = 10};
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
