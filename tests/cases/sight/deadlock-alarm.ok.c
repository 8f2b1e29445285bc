// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Both threads lock in one order; a handler of SIGALRM would end the process.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void give_up(int sig)
{
    (void)sig;
    static const char text[] = "watchdog: no progress\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(3);
    _exit(2);
}

static void *forth(void *arg)
{
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to);
    moved++;
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
    return arg;
}

static void *back(void *arg)
{
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to);
    moved--;
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    signal(SIGALRM, give_up);
    alarm(5);
    pthread_create(&a, NULL, forth, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return moved;
}
