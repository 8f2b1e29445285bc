// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A record is filled before its address is told without any order, which annotations say is
// meant; so is a number of visits.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, long size,
                             const char *why) __attribute__((weak));

struct record {
    int key, text;
};

static struct {
    _Atomic(struct record *) newest;
    int visits;
} table;

static void *look(void *arg)
{
    struct record *r = atomic_load_explicit(&table.newest, memory_order_relaxed);
    table.visits++;
    if (r)
        r->text = 'b'; //~ here
    return arg;
}

int main(void)
{
    pthread_t other;
    if (AnnotateBenignRaceSized)
        AnnotateBenignRaceSized(__FILE__, __LINE__, &table.visits, sizeof table.visits,
                                "a guess will do");
    pthread_create(&other, NULL, look, NULL);
    struct record *r = malloc(sizeof *r);
    if (AnnotateIgnoreWritesBegin)
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    r->key = 7;
    r->text = 'a'; //~ here
    if (AnnotateIgnoreWritesEnd)
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    table.visits++;
    atomic_store_explicit(&table.newest, r, memory_order_relaxed);
    pthread_join(other, NULL);
    free(r);
    return 0;
}
