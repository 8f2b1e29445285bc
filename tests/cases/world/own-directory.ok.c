// SPDX-License-Identifier: Apache-2.0
// Each thread goes through many directories of its own at once; what the system says about the
// one is not in the way of the other. The sum has a lock.
//~ check: quiet
//~ given: mkdir one two && touch one/a one/b two/c
#include <dirent.h>
#include <pthread.h>
#include <string.h>

enum { COUNT = 70 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long letters;

static long step(DIR *d)
{
    struct dirent *e = readdir(d);
    return e && e->d_name[0] != '.' ? (long)strlen(e->d_name) : 0;
}

static void *work(void *path)
{
    DIR *open[COUNT];
    long n = 0;
    for (int i = 0; i < COUNT; i++)
        open[i] = opendir(path);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 4; k++)
            n += step(open[i]);
    for (int i = 0; i < COUNT; i++)
        closedir(open[i]);
    pthread_mutex_lock(&lock);
    letters += n;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, "one");
    pthread_create(&t[1], NULL, work, "two");
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return letters != 3 * COUNT;
}
