/* longjmp in every thread, over ten frames and out of a critical section. */
//~ exit: 0
//~ stdout: jumps 30, locks balanced yes
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

enum { THREADS = 3, JUMPS = 10 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int jumps, balanced = 1;
static volatile int may_jump = 1; /* or gcc calls it an infinite recursion */

static void fall(jmp_buf back, int depth, int code)
{
    if (depth > 0)
        fall(back, depth - 1, code);
    else if (may_jump)
        longjmp(back, code);
}

static void *jump(void *arg)
{
    jmp_buf back;
    volatile int done = 0;
    int code = setjmp(back);
    if (code != 0) {
        balanced = balanced && code == done + 1; /* the mutex is still held */
        jumps++;
        pthread_mutex_unlock(&m);
        done++;
    }
    if (done < JUMPS) {
        pthread_mutex_lock(&m);
        fall(back, 10, done + 1);
    }
    *(int *)arg = done;
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int done[THREADS], all_done = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, jump, &done[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        all_done = all_done && done[i] == JUMPS;
    }
    printf("jumps %d, locks balanced %s\n", jumps, balanced && all_done ? "yes" : "no");
    return 0;
}
