/* Two threads pass a growing number back and forth: always progress, never an end. */
//~ outcome: hang
//~ timeout: 1
//~ stdout: started
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long number;

static void *pass(void *arg)
{
    unsigned long me = *(unsigned long *)arg;
    pthread_mutex_lock(&m);
    for (;;) {
        while (number % 2 != me)
            pthread_cond_wait(&changed, &m);
        number++;
        pthread_cond_signal(&changed);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    unsigned long id[2] = {0, 1};
    puts("started");
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, pass, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("unreachable");
    return 0;
}
