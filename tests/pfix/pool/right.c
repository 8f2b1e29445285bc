// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As pool.c, mended by hand: objects that are being made to lie ready are counted, and who
// borrows waits for them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ACTIVE_MAX = 2, IDLE_MIN = 1, OBJECTS_MAX = 2, MAKING_US = 2000 };

struct object {
    int number;
    struct object *next; /* in the list of idle ones */
};

struct factory {
    pthread_mutex_t lock;
    int made;
};

struct pool {
    pthread_mutex_t lock;
    struct factory *factory;
    int active;
    int idle;
    int making; /* to lie ready */
    pthread_cond_t made;
    struct object *first_idle;
};

static struct factory factory = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct pool pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .factory = &factory, .made = PTHREAD_COND_INITIALIZER};
static int borrow_failed;

/* NULL: there are as many as there may be. */
static struct object *factory_make(struct factory *f)
{
    usleep(MAKING_US);
    pthread_mutex_lock(&f->lock);
    if (f->made == OBJECTS_MAX) {
        pthread_mutex_unlock(&f->lock);
        return NULL;
    }
    int number = ++f->made;
    pthread_mutex_unlock(&f->lock);

    struct object *o = malloc(sizeof *o);
    if (!o)
        abort();
    o->number = number;
    o->next = NULL;
    return o;
}

static void factory_destroy(struct factory *f, struct object *o)
{
    pthread_mutex_lock(&f->lock);
    f->made--;
    pthread_mutex_unlock(&f->lock);
    free(o);
}

static void pool_add_idle(struct pool *p, struct object *o)
{
    o->next = p->first_idle;
    p->first_idle = o;
    p->idle++;
}

static struct object *pool_take_idle(struct pool *p)
{
    struct object *o = p->first_idle;
    p->first_idle = o->next;
    p->idle--;
    return o;
}

/* NULL: no object can be had. */
static struct object *pool_borrow(struct pool *p)
{
    struct object *o = NULL;
    pthread_mutex_lock(&p->lock);
    while (p->idle == 0 && p->making > 0 && p->active + p->making >= ACTIVE_MAX)
        pthread_cond_wait(&p->made, &p->lock);
    if (p->idle > 0) {
        o = pool_take_idle(p);
        p->active++;
        pthread_mutex_unlock(&p->lock);
        return o;
    }
    if (p->active >= ACTIVE_MAX) {
        pthread_mutex_unlock(&p->lock);
        return NULL;
    }
    p->active++;
    pthread_mutex_unlock(&p->lock);

    o = factory_make(p->factory);
    if (!o) {
        pthread_mutex_lock(&p->lock);
        p->active--;
        pthread_mutex_unlock(&p->lock);
    }
    return o;
}

static void pool_return(struct pool *p, struct object *o)
{
    pthread_mutex_lock(&p->lock);
    p->active--;
    pool_add_idle(p, o);
    pthread_mutex_unlock(&p->lock);
}

static int pool_deficit(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    int wanted = IDLE_MIN - p->idle;
    int room = ACTIVE_MAX - p->active - p->idle;
    int deficit = wanted < room ? wanted : room;
    if (deficit > 0)
        p->making += deficit;
    pthread_mutex_unlock(&p->lock);
    return deficit;
}

static void pool_add_object(struct pool *p)
{
    struct object *o = factory_make(p->factory);
    pthread_mutex_lock(&p->lock);
    p->making--;
    if (o)
        pool_add_idle(p, o);
    pthread_cond_broadcast(&p->made);
    pthread_mutex_unlock(&p->lock);
}

static void pool_ensure_idle(struct pool *p)
{
    int deficit = pool_deficit(p);
    for (int i = 0; i < deficit; i++)
        pool_add_object(p);
}

/* What lies ready and is too much. */
static void pool_evict(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->idle > IDLE_MIN)
        factory_destroy(p->factory, pool_take_idle(p));
    pthread_mutex_unlock(&p->lock);
}

static void *evictor_main(void *argument)
{
    struct pool *p = argument;
    pool_evict(p);
    pool_ensure_idle(p);
    return NULL;
}

static void *borrower_main(void *argument)
{
    struct pool *p = argument;
    usleep(10 * MAKING_US);
    struct object *o = pool_borrow(p);
    if (!o) {
        borrow_failed = 1;
        return NULL;
    }
    pool_return(p, o);
    return NULL;
}

int main(void)
{
    pthread_t evictor, borrower;
    struct object *own = pool_borrow(&pool);
    pthread_create(&evictor, NULL, evictor_main, &pool);
    pthread_create(&borrower, NULL, borrower_main, &pool);
    pthread_join(evictor, NULL);
    pthread_join(borrower, NULL);
    pool_return(&pool, own);
    while (pool.idle > 0)
        factory_destroy(pool.factory, pool_take_idle(&pool));

    if (borrow_failed) {
        printf("no object could be had\n");
        return 1;
    }
    printf("lent and returned\n");
    return 0;
}
