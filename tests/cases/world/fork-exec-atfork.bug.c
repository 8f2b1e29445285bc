// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A process with threads forks and executes; the result is noted without the lock.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int runs, ticks;

static void before(void)
{
    pthread_mutex_lock(&lock);
}

static void after(void)
{
    pthread_mutex_unlock(&lock);
}

static void *launch(void *arg)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return NULL;
    runs += WIFEXITED(status) && WEXITSTATUS(status) == 0; //~ here
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_atfork(before, after, after);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, launch, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        ticks++;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return runs > 2;
}
