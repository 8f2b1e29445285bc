// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Copying and printing as glibc's checked inline forms do it, without a lock.
//~ libs: -O2 -D_FORTIFY_SOURCE=2
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char host[64] = "localhost";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *move_to(void *name)
{
    pthread_mutex_lock(&lock);
    strcpy(host, name); //~ here
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    char line[96], other[] = "example.org";
    pthread_t t;
    pthread_create(&t, NULL, move_to, other);
    snprintf(line, sizeof line, "Host: %s", host); //~ here
    pthread_join(t, NULL);
    return line[0] != 'H';
}
