/* Cancellation waits while it is disabled and strikes at the first test after it is enabled. */
//~ exit: 0
//~ stdout: steps 3, old state enabled, old type deferred, cancelled yes
//~ stdout: never tested: cancelled no, ended before: 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t started, cancelled;
static int steps, old_state = -1, old_type = -1;

static void *protected(void *arg)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old_state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old_type);
    sem_post(&started);
    sem_wait(&cancelled); /* a cancellation point, if it were enabled */
    steps = 1;
    pthread_testcancel();
    steps = 2;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    steps = 3; /* enabling alone is no cancellation point */
    pthread_testcancel();
    steps = 4;
    return arg;
}

static void *no_point(void *arg)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    sem_post(&started);
    sem_wait(&cancelled);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    return arg; /* no cancellation point on the way: ends normally */
}

static int was_cancelled(void *(*body)(void *))
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, body, NULL);
    sem_wait(&started);
    pthread_cancel(t);
    sem_post(&cancelled);
    pthread_join(t, &result);
    return result == PTHREAD_CANCELED;
}

static void *idle(void *arg)
{
    sem_post(&started);
    return arg;
}

int main(void)
{
    sem_init(&started, 0, 0);
    sem_init(&cancelled, 0, 0);
    int hit = was_cancelled(protected);
    printf("steps %d, old state %s, old type %s, cancelled %s\n", steps,
           old_state == PTHREAD_CANCEL_ENABLE ? "enabled" : "disabled",
           old_type == PTHREAD_CANCEL_DEFERRED ? "deferred" : "asynchronous",
           hit ? "yes" : "no");
    int missed = was_cancelled(no_point);
    pthread_t t;
    pthread_create(&t, NULL, idle, NULL);
    sem_wait(&started);
    int late = pthread_cancel(t); /* ended or about to: both are no error */
    pthread_join(t, NULL);
    printf("never tested: cancelled %s, ended before: %d\n", missed ? "yes" : "no", late);
    return 0;
}
