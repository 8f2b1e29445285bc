// SPDX-License-Identifier: Apache-2.0
//~ expect: null-dereference A
// Two threads see that a list has an element, and both take it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node {
    struct node *next;
};
static struct node first, second, *head = &first;

static void *push(void *arg)
{
    pthread_mutex_lock(&m);
    second.next = head;
    head = &second;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *pop(void *arg)
{
    pthread_mutex_lock(&m);
    int any = head != NULL;
    pthread_mutex_unlock(&m);
    if (any) {
        pthread_mutex_lock(&m);
        struct node *top = head;
        head = top->next; //~ A
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, push, NULL);
    pthread_create(&t[1], NULL, pop, NULL);
    pthread_create(&t[2], NULL, pop, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
