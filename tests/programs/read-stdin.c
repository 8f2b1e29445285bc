/* One thread reads standard input with read, another counts what it passes on. */
//~ exit: 0
//~ stdin: warp
//~ stdin: weft
//~ stdout: bytes 10, letters 8, end of input yes
#include <ctype.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t filled, emptied;
static char slot;
static int bytes, ended;

static void *reader(void *arg)
{
    char byte;
    ssize_t n;
    while ((n = read(STDIN_FILENO, &byte, 1)) == 1) {
        sem_wait(&emptied);
        slot = byte;
        bytes++;
        sem_post(&filled);
    }
    sem_wait(&emptied);
    slot = '\0';
    ended = n == 0;
    sem_post(&filled);
    return arg;
}

static void *counter(void *arg)
{
    int *letters = arg, more = 1;
    while (more) {
        sem_wait(&filled);
        *letters += isalpha((unsigned char)slot) != 0;
        more = slot != '\0';
        sem_post(&emptied);
    }
    return NULL;
}

int main(void)
{
    pthread_t r, c;
    int letters = 0;
    sem_init(&filled, 0, 0);
    sem_init(&emptied, 0, 1);
    pthread_create(&c, NULL, counter, &letters);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(r, NULL);
    pthread_join(c, NULL);
    printf("bytes %d, letters %d, end of input %s\n", bytes, letters, ended ? "yes" : "no");
    return 0;
}
