// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A sorted list, locked hand over hand; the search forgets the lock of the last node.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int key, hits;
    struct node *next;
};

static struct node head = {.lock = PTHREAD_MUTEX_INITIALIZER, .key = -1};

static void insert(int key)
{
    struct node *before = &head;
    pthread_mutex_lock(&before->lock);
    while (before->next != NULL && before->next->key < key) {
        struct node *next = before->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&before->lock);
        before = next;
    }
    struct node *n = calloc(1, sizeof *n);
    if (n != NULL) {
        pthread_mutex_init(&n->lock, NULL);
        n->key = key;
        n->next = before->next;
        before->next = n;
    }
    pthread_mutex_unlock(&before->lock);
}

static int find(int key)
{
    struct node *at = &head;
    pthread_mutex_lock(&at->lock);
    while (at->next != NULL && at->key < key) {
        struct node *next = at->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&at->lock);
        at = next;
    }
    int found = at->key == key;
    pthread_mutex_unlock(&at->lock);
    at->hits++; //~ here
    return found;
}

static void *work(void *arg)
{
    int from = *(int *)arg;
    insert(from);
    insert(from + 10);
    find(12);
    return NULL;
}

int main(void)
{
    int from[2] = {1, 2};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &from[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return !find(12);
}
