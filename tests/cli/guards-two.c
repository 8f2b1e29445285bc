/* Two records with members of the same names, one of them guarded; a bit-field, an array. */
#include <pthread.h>
#include <stdio.h>

struct other {
    pthread_mutex_t lock;
    int count;
};
struct mine {
    pthread_mutex_t lock;
    int count, bits : 3;
    int table[4];
};
static struct other a = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct mine b = {PTHREAD_MUTEX_INITIALIZER, 0, 0, {0}};

static void *f(void *arg)
{
    a.count++;
    pthread_mutex_lock(&b.lock);
    b.count++;
    b.bits++;
    b.table[1]++;
    pthread_mutex_unlock(&b.lock);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, f, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", a.count, b.count);
    return 0;
}
