/* Transfers lock two accounts in the order of their addresses; no money is lost. */
//~ exit: 0
//~ stdout: total 4000, transfers 800, audits that saw less or more 0
#include <pthread.h>
#include <stdio.h>

enum { ACCOUNTS = 4, TELLERS = 4, TRANSFERS = 200 };

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account account[ACCOUNTS];
static int done[TELLERS], wrong_audits;

static void move_money(struct account *from, struct account *to, int amount)
{
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *teller(void *arg)
{
    int *mine = arg;
    unsigned seed = (unsigned)(mine - done) + 1;
    for (; *mine < TRANSFERS; ++*mine) {
        seed = seed * 1103515245 + 12345;
        unsigned from = (seed >> 16) % ACCOUNTS, step = 1 + (seed >> 20) % (ACCOUNTS - 1);
        move_money(&account[from], &account[(from + step) % ACCOUNTS], (int)(seed >> 24));
    }
    return NULL;
}

static int total(void)
{
    int sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_mutex_lock(&account[i].lock);
    for (int i = 0; i < ACCOUNTS; i++)
        sum += account[i].balance;
    for (int i = ACCOUNTS - 1; i >= 0; i--)
        pthread_mutex_unlock(&account[i].lock);
    return sum;
}

static void *auditor(void *arg)
{
    for (int i = 0; i < 20; i++)
        wrong_audits += total() != ACCOUNTS * 1000;
    return arg;
}

int main(void)
{
    pthread_t t[TELLERS], a;
    int transfers = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&account[i].lock, NULL);
        account[i].balance = 1000;
    }
    pthread_create(&a, NULL, auditor, NULL);
    for (int i = 0; i < TELLERS; i++)
        pthread_create(&t[i], NULL, teller, &done[i]);
    for (int i = 0; i < TELLERS; i++) {
        pthread_join(t[i], NULL);
        transfers += done[i];
    }
    pthread_join(a, NULL);
    printf("total %d, transfers %d, audits that saw less or more %d\n", total(), transfers,
           wrong_audits);
    return 0;
}
