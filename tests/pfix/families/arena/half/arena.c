// SPDX-License-Identifier: Apache-2.0
// An arena that is only reset as a whole: parsers allocate their nodes from it.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#define ARENA_BYTES 1024u
#define ALIGN_UP(n) (((n) + 15u) & ~(size_t)15u)

typedef struct Arena {
    struct {
        atomic_size_t used;
        atomic_size_t objects;
    } stat;
    _Alignas(16) unsigned char bytes[ARENA_BYTES];
} Arena;

#define A_USED(a) ((a)->stat.used)
#define A_OBJECTS(a) ((a)->stat.objects)
#define A_AT(a, off) ((void *)((a)->bytes + (off)))

static void *arena_alloc(Arena *a, size_t size)
{
    size_t n = ALIGN_UP(size);
    size_t at = atomic_load(&A_USED(a));

    atomic_fetch_add(&A_USED(a), n);
    if (at + n > ARENA_BYTES)
        return NULL;
    atomic_fetch_add(&A_OBJECTS(a), 1);
    return A_AT(a, at);
}

static void arena_reset(Arena *a)
{
    atomic_store(&A_USED(a), 0);
    atomic_store(&A_OBJECTS(a), 0);
}

typedef struct Node {
    struct Node *next;
    int parser;
    int number;
} Node;

enum { PARSERS = 2, NODES = 2 };

static Arena arena;

typedef struct Parser {
    pthread_t thread;
    int id;
    Node *list;
} Parser;

static void *parse(void *arg)
{
    Parser *p = arg;

    for (int i = 0; i < NODES; i++) {
        Node *n = arena_alloc(&arena, sizeof *n);
        if (n == NULL)
            return NULL;
        n->next = p->list;
        n->parser = p->id;
        n->number = i;
        p->list = n;
    }
    return NULL;
}

static int parser_check(const Parser *p)
{
    int number = NODES;
    for (const Node *n = p->list; n && number > 0; n = n->next) {
        if (n->parser != p->id || n->number != --number)
            return 0;
    }
    return number == 0;
}

int main(void)
{
    Parser parsers[PARSERS] = {0};
    int good = 0;

    for (int i = 0; i < PARSERS; i++) {
        parsers[i].id = i + 1;
        pthread_create(&parsers[i].thread, NULL, parse, &parsers[i]);
    }
    for (int i = 0; i < PARSERS; i++)
        pthread_join(parsers[i].thread, NULL);
    for (int i = 0; i < PARSERS; i++)
        good += parser_check(&parsers[i]);
    if (good != PARSERS || atomic_load(&A_OBJECTS(&arena)) != PARSERS * NODES) {
        fprintf(stderr, "%d of %d parsers have their nodes\n", good, PARSERS);
        return 1;
    }
    arena_reset(&arena);
    return 0;
}
