// SPDX-License-Identifier: Apache-2.0
// Whoever pushes takes the stack's lock, but no run pushes while somebody pops.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *below;
    int value;
};

struct stack {
    pthread_mutex_t guard;
    struct node *top;
    int depth;
};

static struct stack stack = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static void push(struct stack *s, int value)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        abort();
    n->value = value;
    pthread_mutex_lock(&s->guard);
    n->below = s->top;
    s->top = n;
    s->depth++;
    pthread_mutex_unlock(&s->guard);
}

static int pop(struct stack *s, int *value)
{
    struct node *n = s->top;
    if (!n)
        return -1;
    s->top = n->below;
    s->depth--;
    *value = n->value;
    free(n);
    return 0;
}

static void *drain(void *argument)
{
    int value, *sum = argument;
    while (pop(&stack, &value) == 0)
        *sum += value;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int sums[2] = {0};
    for (int i = 1; i <= 3; i++)
        push(&stack, i);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, drain, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sums[0] + sums[1] == 6 && stack.depth == 0 ? 0 : 1;
}
