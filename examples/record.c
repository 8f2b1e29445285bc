/* SPDX-License-Identifier: Apache-2.0
 *
 * record: the better of two jumps is to stand. Each jumper looks at the record in one section
 * and writes it in another: the shorter jump may be written last, which an assertion at the end
 * notices. Assertion violation. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record;

static void jump(int length)
{
    pthread_mutex_lock(&lock);
    int old = record;
    pthread_mutex_unlock(&lock);
    if (old < length) {
        pthread_mutex_lock(&lock);
        record = length;
        pthread_mutex_unlock(&lock);
    }
}

static void *short_jump(void *unused)
{
    jump(5);
    return unused;
}

static void *long_jump(void *unused)
{
    jump(9);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, short_jump, NULL);
    pthread_create(&threads[1], NULL, long_jump, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(record == 9);
    printf("record %d\n", record);
    return 0;
}
