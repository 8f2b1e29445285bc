/* Structures of which only a part was written are copied whole. */
//~ exit: 0
//~ flags: -O0
//~ stdout: sum 300
#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct record {
    char tag;
    long number;
    char name[800];
    union {
        int few;
        long many[10];
    } part;
};

static struct record shared[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void put(int at)
{
    struct record r; /* its name and most of its part stay as they are */
    r.tag = 'r';
    r.number = shared[at].number + 1;
    r.part.few = at;
    shared[at] = r;
}

static void *work(void *arg)
{
    for (int i = 0; i < 100; i++) {
        struct timespec now, brief = {0, 1000};
        pthread_mutex_lock(&lock);
        put(i % 2);
        pthread_mutex_unlock(&lock);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (i % 10 == 0)
            nanosleep(&brief, NULL);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("sum %ld\n", shared[0].number + shared[1].number);
    return 0;
}
