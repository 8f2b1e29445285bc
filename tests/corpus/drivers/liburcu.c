/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers follow a pointer, a list and a hash table; one thread replaces what is there and
 * frees the old, waiting for the readers or leaving that to call_rcu. A reader that sees freed
 * memory sees another magic number. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef FLAVOR_QSBR
#include <urcu-qsbr.h>
#define QUIET() rcu_quiescent_state()
#else
#ifdef FLAVOR_BP
#include <urcu-bp.h>
#else
#include <urcu.h>
#endif
#define QUIET() ((void)0)
#endif
#include <urcu/rculfhash.h>
#include <urcu/rculist.h>
#include <urcu/wfcqueue.h>

enum { READERS = 2, ROUNDS = 4, MAGIC = 0x600d };

struct node {
    int magic, number;
    struct cds_list_head list;
    struct cds_lfht_node hashed;
    struct cds_wfcq_node queued;
    struct rcu_head head;
};

static struct node *current;
static CDS_LIST_HEAD(list);
static struct cds_lfht *table;
static struct cds_wfcq_head queue_head;
static struct cds_wfcq_tail queue_tail;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static struct node *node_new(int number)
{
    struct node *n = calloc(1, sizeof *n);
    must(n != NULL, "memory");
    n->magic = MAGIC;
    n->number = number;
    cds_lfht_node_init(&n->hashed);
    cds_wfcq_node_init(&n->queued);
    return n;
}

static void node_free(struct node *n)
{
    n->magic = 0;
    free(n);
}

static void node_free_later(struct rcu_head *head)
{
    node_free(caa_container_of(head, struct node, head));
}

static int is_number(struct cds_lfht_node *hashed, const void *number)
{
    return caa_container_of(hashed, struct node, hashed)->number == *(const int *)number;
}

static void look(int number)
{
    struct cds_lfht_iter at;
    struct node *n;
    rcu_read_lock();
    n = rcu_dereference(current);
    must(n == NULL || n->magic == MAGIC, "the pointer leads to freed memory");
    cds_list_for_each_entry_rcu(n, &list, list)
        must(n->magic == MAGIC, "the list leads to freed memory");
    cds_lfht_lookup(table, (unsigned long)number, is_number, &number, &at);
    if (cds_lfht_iter_get_node(&at))
        must(caa_container_of(cds_lfht_iter_get_node(&at), struct node, hashed)->magic == MAGIC,
             "the table leads to freed memory");
    rcu_read_unlock();
}

static void *read_all(void *unused)
{
    rcu_register_thread();
    for (int i = 0; i < ROUNDS; i++) {
        look(i);
        struct node *n = node_new(i);
        cds_wfcq_enqueue(&queue_head, &queue_tail, &n->queued);
        QUIET();
    }
    rcu_unregister_thread();
    return unused;
}

static void replace(int number)
{
    struct node *old = current, *n = node_new(number), *hashed = node_new(number);
    rcu_set_pointer(&current, n);
    cds_list_add_rcu(&n->list, &list);
    rcu_read_lock();
    cds_lfht_add(table, (unsigned long)number, &hashed->hashed);
    must(number % 2 == 0 || cds_lfht_del(table, &hashed->hashed) == 0, "not in the table");
    rcu_read_unlock();
    if (number % 2)
        call_rcu(&hashed->head, node_free_later);
    if (!old)
        return;
    cds_list_del_rcu(&old->list);
    synchronize_rcu();
    node_free(old);
}

static int take_all(void)
{
    struct cds_wfcq_node *queued;
    int count = 0;
    while ((queued = cds_wfcq_dequeue_blocking(&queue_head, &queue_tail)) != NULL) {
        node_free(caa_container_of(queued, struct node, queued));
        count++;
    }
    return count;
}

int main(void)
{
    pthread_t readers[READERS];
    int count = 0;
    rcu_register_thread();
    cds_wfcq_init(&queue_head, &queue_tail);
    table = cds_lfht_new(4, 4, 4, 0, NULL);
    must(table != NULL, "table");
    for (int i = 0; i < READERS; i++)
        must(pthread_create(&readers[i], NULL, read_all, NULL) == 0, "thread");
    for (int i = 0; i < ROUNDS; i++) {
        replace(i);
        count += take_all();
        QUIET();
    }
#ifdef FLAVOR_QSBR
    rcu_thread_offline();
#endif
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    rcu_barrier();
#ifdef FLAVOR_QSBR
    rcu_thread_online();
#endif
    count += take_all();
    must(count == READERS * ROUNDS, "the queue lost something");
    rcu_unregister_thread();
    puts("good");
    return 0;
}
