// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each thread has locks in pages of its own (zeros are a lock); the system gives the same pages
// to the next thread.
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

static void *up(void *arg)
{
    struct node *one = get(), *two = get();
    move(one, two);
    munmap(two, BYTES);
    munmap(one, BYTES);
    return arg;
}

static void *down(void *arg)
{
    struct node *one = get(), *two = get();
    move(two, one);
    munmap(two, BYTES);
    munmap(one, BYTES);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, down, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("moved");
    return 0;
}
