/* Numbers are given out and told to whoever listens, who takes locks of his own and is slow. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int next_number, told;
static int last[2];

static void publish(void (*listener)(int), int who)
{
    int number = next_number;
    next_number = number + 1;
    listener(number);
    last[who] = number;
    told++;
}

static void listen(int number)
{
    if (number > 100)
        puts("many");
}

static void *work(void *arg)
{
    publish(listen, (int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(long)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(last[0] != last[1] && told == 2);
    return 0;
}
