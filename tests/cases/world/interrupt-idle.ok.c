// SPDX-License-Identifier: Apache-2.0
//~ check: stopped
//~ interrupt: 1
//~ stdin: (open)
// A program that waits for its input, which does not come; Ctrl-C ends the recording.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int visits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *visit(void *arg)
{
    pthread_mutex_lock(&lock);
    visits++; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    char c;
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (read(0, &c, 1) < 0)
        return 2;
    printf("%d visits\n", visits);
    return 0;
}
