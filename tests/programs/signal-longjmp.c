/* siglongjmp leaves a handler: a thread survives its null dereferences. */
//~ exit: 0
//~ stdout: survived 5 of 5, mask restored yes
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static _Thread_local sigjmp_buf back;
static int *volatile nowhere;

static void on_fault(int number)
{
    siglongjmp(back, number);
}

static void *touch_nothing(void *arg)
{
    volatile int survived = 0;
    for (volatile int i = 0; i < 5; i++) {
        if (sigsetjmp(back, 1) == 0)
            *nowhere = 1;
        else
            survived++;
    }
    *(int *)arg = survived;
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_fault};
    sigset_t mask;
    pthread_t t;
    int survived = 0;
    sigaction(SIGSEGV, &action, NULL);
    pthread_create(&t, NULL, touch_nothing, &survived);
    pthread_join(t, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    printf("survived %d of 5, mask restored %s\n", survived,
           sigismember(&mask, SIGSEGV) ? "no" : "yes");
    return 0;
}
