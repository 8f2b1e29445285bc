/* Two threads count without a lock, and once with one; the mutex orders nothing. */
#include <pthread.h>
#include <stdio.h>

static int balance, safe;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int seen = balance;
        pthread_mutex_lock(&m);
        safe++;
        pthread_mutex_unlock(&m);
        balance = seen + 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d %d\n", balance, safe);
    return balance != 6;
}
