// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Both locks are taken in one order, whatever the data.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct dir {
    pthread_mutex_t lock;
    char names[8][16];
    int count;
};
static struct dir *dir_new(void)
{
    struct dir *d = calloc(1, sizeof *d);
    pthread_mutex_init(&d->lock, NULL);
    return d;
}
static void dir_add(struct dir *d, const char *name)
{
    snprintf(d->names[d->count++], 16, "%s", name);
}
static int dir_find(struct dir *d, const char *name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->names[i], name) == 0)
            return i;
    return -1;
}
static int dir_rename(struct dir *from, struct dir *to, const char *name)
{
    int done = 0;
    struct dir *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    int at = dir_find(from, name);
    if (at >= 0) {
        dir_add(to, name);
        memmove(from->names[at], from->names[--from->count], 16);
        done = 1;
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return done;
}
static struct dir *home, *tmp;
static void *mover(void *arg)
{
    (void)arg;
    dir_rename(home, tmp, "notes");
    return NULL;
}
static void *restorer(void *arg)
{
    (void)arg;
    dir_rename(tmp, home, "draft");
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    home = dir_new();
    tmp = dir_new();
    dir_add(home, "notes");
    dir_add(tmp, "draft");
    pthread_create(&a, NULL, mover, NULL);
    pthread_create(&b, NULL, restorer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", home->count, tmp->count);
    free(home);
    free(tmp);
    return 0;
}
