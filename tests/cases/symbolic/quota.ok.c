// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Counted and made in one section.
#include <heddle/annotate.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int files = 7, made;

static void *make_file(void *arg)
{
    pthread_mutex_lock(&m);
    if (made < 5 && files < 9) {
        files++;
        made++;
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, make_file, NULL);
    pthread_create(&t[1], NULL, make_file, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    HEDDLE_EXPECT(files == 7 + made);
    return 0;
}
