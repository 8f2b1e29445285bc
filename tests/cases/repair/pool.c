/* Two bugs that have nothing to do with each other: one signal at the end wakes one of two
 * workers only, and the monitor reads the counts without their lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int waiting = 3, stopping;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static long done;

static int take(void)
{
    pthread_mutex_lock(&queue_lock);
    while (waiting == 0 && !stopping)
        pthread_cond_wait(&more, &queue_lock);
    int job = waiting > 0 ? waiting-- : 0;
    pthread_mutex_unlock(&queue_lock);
    return job;
}

static void *work(void *arg)
{
    for (int job; (job = take()) > 0;) {
        pthread_mutex_lock(&count_lock);
        done += job;
        pthread_mutex_unlock(&count_lock);
    }
    return arg;
}

static void *watch(void *arg)
{
    long seen = done;
    printf("done so far: %s\n", seen >= 0 ? "some" : "none");
    return arg;
}

int main(void)
{
    pthread_t worker[2], monitor;
    for (int i = 0; i < 2; i++)
        pthread_create(&worker[i], NULL, work, NULL);
    pthread_create(&monitor, NULL, watch, NULL);
    pthread_mutex_lock(&queue_lock);
    stopping = 1;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&queue_lock);
    for (int i = 0; i < 2; i++)
        pthread_join(worker[i], NULL);
    pthread_join(monitor, NULL);
    return done != 6;
}
