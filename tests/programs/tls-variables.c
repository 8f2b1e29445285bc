/* __thread and _Thread_local variables are each thread's own. */
//~ exit: 0
//~ stdout: fresh 4, kept 4, distinct addresses yes, main's 7 and 0
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 4 };

static __thread int number = 7;
static _Thread_local char text[16];
static pthread_barrier_t barrier;

struct view {
    int id, fresh, kept;
    int *address;
};

static void *use(void *arg)
{
    struct view *v = arg;
    v->fresh = number == 7 && text[0] == '\0';
    v->address = &number;
    number = v->id;
    snprintf(text, sizeof text, "thread %d", v->id);
    for (int i = 0; i < 10; i++) {
        number += 1;
        sched_yield();
    }
    v->kept = number == v->id + 10 && text[7] == '0' + v->id;
    pthread_barrier_wait(&barrier); /* all alive: no address can be used again */
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    struct view view[THREADS];
    int fresh = 0, kept = 0, distinct = 1;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        view[i].id = i;
        pthread_create(&t[i], NULL, use, &view[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        fresh += view[i].fresh;
        kept += view[i].kept;
    }
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < THREADS; j++)
            distinct = distinct && view[i].address != &number &&
                       (i == j || view[i].address != view[j].address);
    printf("fresh %d, kept %d, distinct addresses %s, main's %d and %d\n", fresh, kept,
           distinct ? "yes" : "no", number, text[0]);
    return 0;
}
