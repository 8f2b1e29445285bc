/* A thread spins without any call until the handler of a signal sent to it sets the flag. */
//~ exit: 0
//~ stdout: interrupted while spinning: yes
//~ tsan: skip it delivers signals at calls only
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t flag;
static pthread_t spinner;
static volatile int in_spinner;
static sem_t spinning;

static void handler(int number)
{
    (void)number;
    in_spinner = pthread_equal(pthread_self(), spinner);
    flag = 1;
}

static void *spin(void *arg)
{
    spinner = pthread_self();
    sem_post(&spinning);
    while (!flag)
        ;
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    pthread_t t;
    sem_init(&spinning, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, spin, NULL);
    sem_wait(&spinning);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    printf("interrupted while spinning: %s\n", in_spinner ? "yes" : "no");
    return 0;
}
