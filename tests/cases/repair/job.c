// SPDX-License-Identifier: Apache-2.0
// That a job is done is said without the lock with which that is waited for; the lock is made
// ready behind the flag.
#include <pthread.h>
#include <stdbool.h>

struct job {
    int input, output;
    bool finished;
    pthread_mutex_t lock;
    pthread_cond_t done;
};

static void job_init(struct job *job, int input)
{
    job->input = input;
    job->output = 0;
    job->finished = false;
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->done, NULL);
}

static void *job_run(void *argument)
{
    struct job *job = argument;
    job->output = job->input * job->input;
    job->finished = true;
    pthread_cond_signal(&job->done);
    return NULL;
}

static int job_wait(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    if (!job->finished)
        pthread_cond_wait(&job->done, &job->lock);
    int output = job->output;
    pthread_mutex_unlock(&job->lock);
    return output;
}

int main(void)
{
    struct job job;
    pthread_t t;
    job_init(&job, 7);
    pthread_create(&t, NULL, job_run, &job);
    int output = job_wait(&job);
    pthread_join(t, NULL);
    return output == 49 ? 0 : 1;
}
