// SPDX-License-Identifier: Apache-2.0
// A model of Tomcat bug 46384: who is in the cluster is kept twice, and the two must agree.
//
// The membership knows when each node was heard last. The service has the list of nodes that
// sessions are sent to. A heartbeat of a node that is not a member makes it one and adds it to
// the service's list; a member that has been silent for too long is dropped from both.
//
// The insufficient fix: a section now covers the expiry and its notices, but of a heartbeat
// only the first half. A node that expires just then stays in the service's list for good, or
// a node that comes back is struck from it.
//
// arguments: [RECEIVERS], at most 9. Ends by a failed assertion if the two do not agree.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { RECEIVERS_MAX = 9, NODES = 4, ROUNDS = 2, PATIENCE = 1 };

struct member {
    int node;
    int heard; // the tick of its last heartbeat
};

// Sorted by node, without gaps.
struct membership {
    pthread_mutex_t lock;
    struct member member[NODES];
    int count;
    int tick; // goes on with every round of the checker
};

struct service {
    pthread_mutex_t lock;
    int node[RECEIVERS_MAX + ROUNDS * NODES];
    int count;
    int notices;
};

static struct membership membership = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct service service = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;

static int member_index(const struct membership *of, int node)
{
    for (int i = 0; i < of->count; i++)
        if (of->member[i].node == node)
            return i;
    return -1;
}

static void member_insert(struct membership *into, int node)
{
    int at = into->count;
    while (at > 0 && into->member[at - 1].node > node) {
        into->member[at] = into->member[at - 1];
        at--;
    }
    into->member[at] = (struct member){.node = node, .heard = into->tick};
    into->count++;
}

// Notes a heartbeat. True if the node was no member before.
static int membership_alive(struct membership *in, int node)
{
    int is_new = 0;
    pthread_mutex_lock(&in->lock);
    int at = member_index(in, node);
    if (at >= 0) {
        in->member[at].heard = in->tick;
    } else {
        member_insert(in, node);
        is_new = 1;
    }
    pthread_mutex_unlock(&in->lock);
    return is_new;
}

// Takes those out who have been silent for too long. Returns how many, and who.
static int membership_expire(struct membership *from, int expired[NODES])
{
    int gone = 0, kept = 0;
    pthread_mutex_lock(&from->lock);
    from->tick++;
    for (int i = 0; i < from->count; i++) {
        if (from->tick - from->member[i].heard > PATIENCE)
            expired[gone++] = from->member[i].node;
        else
            from->member[kept++] = from->member[i];
    }
    from->count = kept;
    pthread_mutex_unlock(&from->lock);
    return gone;
}

static void service_added(struct service *to, int node)
{
    pthread_mutex_lock(&to->lock);
    to->node[to->count++] = node;
    to->notices++;
    pthread_mutex_unlock(&to->lock);
}

static void service_disappeared(struct service *from, int node)
{
    pthread_mutex_lock(&from->lock);
    int kept = 0;
    for (int i = 0; i < from->count; i++)
        if (from->node[i] != node)
            from->node[kept++] = from->node[i];
    from->count = kept;
    from->notices++;
    pthread_mutex_unlock(&from->lock);
}

static void receive_heartbeat(int node)
{
    pthread_mutex_lock(&change_lock);
    int is_new = membership_alive(&membership, node);
    pthread_mutex_unlock(&change_lock);
    if (is_new)
        service_added(&service, node);
}

static void check_expired(void)
{
    int expired[NODES];
    pthread_mutex_lock(&change_lock);
    int gone = membership_expire(&membership, expired);
    for (int i = 0; i < gone; i++)
        service_disappeared(&service, expired[i]);
    pthread_mutex_unlock(&change_lock);
}

static void *receiver(void *arg)
{
    receive_heartbeat(*(const int *)arg);
    return NULL;
}

static void *checker(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++)
        check_expired();
    return NULL;
}

static int service_has(int node)
{
    int times = 0;
    for (int i = 0; i < service.count; i++)
        times += service.node[i] == node;
    return times;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : RECEIVERS_MAX;
    if (count < 1 || count > RECEIVERS_MAX)
        return 2;
    pthread_t thread[RECEIVERS_MAX], expiry;
    int node[RECEIVERS_MAX];
    for (int i = 0; i < count; i++) {
        node[i] = i % NODES;
        pthread_create(&thread[i], NULL, receiver, &node[i]);
    }
    pthread_create(&expiry, NULL, checker, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    pthread_join(expiry, NULL);
    for (int i = 0; i < NODES; i++)
        assert(service_has(i) == (member_index(&membership, i) >= 0));
    return 0;
}
