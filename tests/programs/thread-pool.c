/* A pool of workers takes jobs, which may add jobs, from a list until all is done. */
//~ exit: 0
//~ stdout: jobs run 127, sum of depths 642
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 4, DEPTH = 6 };

struct job {
    int depth;
    struct job *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *jobs;
static int unfinished, run_count, depth_sum;

static void submit(int depth) /* called with the lock held */
{
    struct job *j = malloc(sizeof *j);
    j->depth = depth;
    j->next = jobs;
    jobs = j;
    unfinished++;
    pthread_cond_signal(&changed);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    for (;;) {
        while (jobs == NULL && unfinished > 0)
            pthread_cond_wait(&changed, &m);
        if (jobs == NULL)
            break;
        struct job *j = jobs;
        jobs = j->next;
        pthread_mutex_unlock(&m);
        int depth = j->depth; /* the work itself needs no lock */
        free(j);
        pthread_mutex_lock(&m);
        run_count++;
        depth_sum += depth;
        if (depth < DEPTH) {
            submit(depth + 1);
            submit(depth + 1);
        }
        if (--unfinished == 0)
            pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[WORKERS];
    pthread_mutex_lock(&m);
    submit(0);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    printf("jobs run %d, sum of depths %d\n", run_count, depth_sum);
    return 0;
}
