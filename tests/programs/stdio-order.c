/* Threads print whole lines in a forced order, mixing printf, puts, putchar and fwrite. */
//~ exit: 0
//~ stdout: printf from 0
//~ stdout: puts from 1
//~ stdout: putchar from 2
//~ stdout: fwrite from 3
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4 };

static sem_t turn[THREADS + 1];
static int id[THREADS];

static void *print(void *arg)
{
    int me = *(int *)arg;
    const char *text;
    sem_wait(&turn[me]);
    switch (me) {
    case 0:
        printf("%s from %d\n", "printf", me);
        break;
    case 1:
        puts("puts from 1");
        break;
    case 2:
        for (text = "putchar from 2\n"; *text != '\0'; text++)
            putchar(*text);
        break;
    default:
        text = "fwrite from 3\n";
        fwrite(text, 1, strlen(text), stdout);
    }
    sem_post(&turn[me + 1]);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i <= THREADS; i++)
        sem_init(&turn[i], 0, i == 0);
    for (int i = THREADS - 1; i >= 0; i--) {
        id[i] = i;
        pthread_create(&t[i], NULL, print, &id[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
