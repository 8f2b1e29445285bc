// SPDX-License-Identifier: Apache-2.0
//~ check: deadlock
// Both threads take two locks in pages that they share, in both orders.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BYTES = 8192 };

static void must(int holds)
{
    if (!holds)
        abort();
}

struct node {
    pthread_mutex_t lock;
    int value;
};

static struct node *get(void)
{
    void *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(p != MAP_FAILED);
    return p;
}

static void move(struct node *from, struct node *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->value--;
    to->value++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static struct node *one, *two;

static void *up(void *arg)
{
    move(one, two);
    return arg;
}

static void *down(void *arg)
{
    move(two, one);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    one = get();
    two = get();
    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, down, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("moved");
    return 0;
}
