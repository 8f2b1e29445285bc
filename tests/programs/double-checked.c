/* Double-checked creation of a shared object with an acquire load outside the lock. */
//~ exit: 0
//~ stdout: created 1, all got the same yes, contents right 5
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 5 };

struct object {
    char name[16];
    int size;
};

static struct object *_Atomic shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int created;

static struct object *get(void)
{
    struct object *o = atomic_load_explicit(&shared, memory_order_acquire);
    if (o != NULL)
        return o;
    pthread_mutex_lock(&m);
    o = atomic_load_explicit(&shared, memory_order_relaxed);
    if (o == NULL) {
        o = malloc(sizeof *o);
        strcpy(o->name, "shared");
        o->size = 6;
        created++;
        atomic_store_explicit(&shared, o, memory_order_release);
    }
    pthread_mutex_unlock(&m);
    return o;
}

static void *use(void *arg)
{
    struct object *o = get();
    *(int *)arg = (int)strlen(o->name) == o->size;
    return o;
}

int main(void)
{
    pthread_t t[THREADS];
    int right[THREADS], sum = 0, same = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, use, &right[i]);
    for (int i = 0; i < THREADS; i++) {
        void *o;
        pthread_join(t[i], &o);
        same = same && o == atomic_load(&shared);
        sum += right[i];
    }
    printf("created %d, all got the same %s, contents right %d\n", created, same ? "yes" : "no",
           sum);
    free(atomic_load(&shared));
    return 0;
}
