/* Prime numbers by a chain of threads with one-place mailboxes that grows while it runs. */
//~ exit: 0
//~ stdout: 2 3 5 7 11 13 17 19 23 29
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 30, END = 0, EMPTY = -1 };

struct stage {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int mail, prime;
    pthread_t thread;
    struct stage *next;
};

static void *filter(void *arg);

static struct stage *start_stage(void)
{
    struct stage *s = calloc(1, sizeof *s);
    s->mail = EMPTY;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    pthread_create(&s->thread, NULL, filter, s);
    return s;
}

static void send_to(struct stage *s, int number)
{
    pthread_mutex_lock(&s->lock);
    while (s->mail != EMPTY)
        pthread_cond_wait(&s->changed, &s->lock);
    s->mail = number;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static int receive(struct stage *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->mail == EMPTY)
        pthread_cond_wait(&s->changed, &s->lock);
    int number = s->mail;
    s->mail = EMPTY;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return number;
}

static void *filter(void *arg)
{
    struct stage *s = arg;
    int number = s->prime = receive(s);
    while (number != END)
        if ((number = receive(s)) == END || number % s->prime != 0) {
            if (s->next == NULL && number != END)
                s->next = start_stage();
            if (s->next != NULL)
                send_to(s->next, number);
        }
    return NULL;
}

int main(void)
{
    struct stage *s = start_stage(), *next;
    for (int i = 2; i <= LIMIT; i++)
        send_to(s, i == LIMIT ? END : i);
    for (; s != NULL; s = next) {
        pthread_join(s->thread, NULL);
        next = s->next;
        printf("%d%c", s->prime, next != NULL ? ' ' : '\n');
        free(s);
    }
    return 0;
}
