# SPDX-License-Identifier: Apache-2.0
# A run that waits for somebody outside who is not there confirms nothing, however it ends: the finding
# stays predicted and says why.
cat > early.c << 'E'
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int waiting;
static void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t t;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (listen(s, 1) < 0)
        return 1;
    pthread_create(&t, NULL, waiter, NULL);
    usleep(1000);
    pthread_mutex_lock(&lock);
    int in_time = waiting;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    if (!in_time && accept(s, NULL, NULL) < 0)
        return 1;
    pthread_join(t, NULL);
    return 0;
}
E
"$HEDDLE" cc -g -O1 -pthread early.c -o early
"$HEDDLE" check --all --no-explore --timeout 2 -- ./early > out 2> err || true
grep -E '^lost-wakeup' out
grep doubt out
