// SPDX-License-Identifier: Apache-2.0
//~ fails: crash
// Sorting by merging, with at most four threads. A node asks how many more threads there may be
// under the sorter's lock, starts its sons, and counts them under its own lock. Two nodes may
// both find room for the last one, and two counts may become one.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBERS = 50, THREADS_MAX = 4 };

struct node {
    pthread_mutex_t lock;
    int *numbers;
    int from, to; /* numbers[from .. to) */
};

static pthread_mutex_t sorter_lock = PTHREAD_MUTEX_INITIALIZER;
static int alive = 1;

static int numbers[NUMBERS] = {
    412, 87,  903, 256, 11,  745, 620, 334, 998, 5,   571, 129, 860, 443, 72,  688, 217,
    950, 306, 794, 63,  517, 875, 140, 29,  661, 382, 934, 208, 756, 95,  487, 819, 350,
    17,  603, 278, 991, 164, 729, 536, 48,  897, 321, 675, 110, 842, 459, 233, 780,
};

static void *node_sort(void *argument);

/* How many sons may be threads: two at most. */
static int sorter_available(void)
{
    pthread_mutex_lock(&sorter_lock);
    int room = THREADS_MAX - alive;
    if (room < 0) {
        fprintf(stderr, "%d threads too many\n", -room);
        abort();
    }
    pthread_mutex_unlock(&sorter_lock);
    return room < 2 ? room : 2;
}

static void node_count_up(struct node *n)
{
    pthread_mutex_lock(&n->lock);
    alive++;
    pthread_mutex_unlock(&n->lock);
}

static void node_count_down(struct node *n)
{
    pthread_mutex_lock(&n->lock);
    alive--;
    pthread_mutex_unlock(&n->lock);
}

static void node_init(struct node *n, int *all, int from, int to)
{
    pthread_mutex_init(&n->lock, NULL);
    n->numbers = all;
    n->from = from;
    n->to = to;
}

static void node_merge(struct node *n, int middle)
{
    int merged[NUMBERS];
    int left = n->from, right = middle, count = 0;
    while (left < middle && right < n->to)
        merged[count++] =
            n->numbers[left] <= n->numbers[right] ? n->numbers[left++] : n->numbers[right++];
    while (left < middle)
        merged[count++] = n->numbers[left++];
    while (right < n->to)
        merged[count++] = n->numbers[right++];
    memcpy(n->numbers + n->from, merged, (size_t)count * sizeof *merged);
}

/* The numbers come from a tape: what stands further back comes later. */
static void node_fetch(const struct node *n)
{
    usleep((useconds_t)n->from * 100);
}

static void *node_sort(void *argument)
{
    struct node *n = argument;
    if (n->to - n->from < 2)
        return NULL;

    struct node left, right;
    pthread_t left_thread, right_thread;
    int middle = n->from + (n->to - n->from) / 2;
    node_init(&left, n->numbers, n->from, middle);
    node_init(&right, n->numbers, middle, n->to);
    node_fetch(n);

    int available = sorter_available();
    if (available == 0) {
        node_sort(&left);
        node_sort(&right);
    } else if (available == 1) {
        pthread_create(&left_thread, NULL, node_sort, &left);
        node_count_up(n);
        node_sort(&right);
        pthread_join(left_thread, NULL);
        node_count_down(n);
    } else {
        pthread_create(&left_thread, NULL, node_sort, &left);
        node_count_up(n);
        pthread_create(&right_thread, NULL, node_sort, &right);
        node_count_up(n);
        pthread_join(left_thread, NULL);
        node_count_down(n);
        pthread_join(right_thread, NULL);
        node_count_down(n);
    }
    node_merge(n, middle);
    return NULL;
}

int main(void)
{
    struct node root;
    node_init(&root, numbers, 0, NUMBERS);
    node_sort(&root);
    for (int i = 1; i < NUMBERS; i++)
        if (numbers[i - 1] > numbers[i])
            abort();
    printf("sorted\n");
    return 0;
}
