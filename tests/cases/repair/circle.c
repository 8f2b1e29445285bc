/* Two locks in both orders: moving money in one direction and counting it in the other. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t cash_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t bank_lock = PTHREAD_MUTEX_INITIALIZER;
static int cash = 5, bank = 5, sum;

static void *move(void *unused)
{
    pthread_mutex_lock(&cash_lock);
    cash -= 2;
    pthread_mutex_lock(&bank_lock); /* the other way round below */
    bank += 2;
    pthread_mutex_unlock(&bank_lock);
    pthread_mutex_unlock(&cash_lock);
    return unused;
}

static void *count(void *unused)
{
    pthread_mutex_lock(&bank_lock);
    pthread_mutex_lock(&cash_lock);
    sum = cash + bank;
    pthread_mutex_unlock(&cash_lock);
    pthread_mutex_unlock(&bank_lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, move, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", sum);
    return sum != 10;
}
