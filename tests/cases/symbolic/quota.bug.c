// SPDX-License-Identifier: Apache-2.0
//~ expect: assertion A
// A check of the program's own, marked for Heddle: files are counted before they are made.
#include <heddle/annotate.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int files = 7, made;

static void *make_file(void *arg)
{
    pthread_mutex_lock(&m);
    int so_far = made;
    pthread_mutex_unlock(&m);
    if (so_far >= 5)
        return arg;
    pthread_mutex_lock(&m);
    int there = files;
    pthread_mutex_unlock(&m);
    if (there < 9) {
        pthread_mutex_lock(&m);
        files = there + 1;
        made++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, make_file, NULL);
    pthread_create(&t[1], NULL, make_file, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    HEDDLE_EXPECT(files == 7 + made); //~ A
    return 0;
}
