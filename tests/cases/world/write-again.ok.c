// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread writes one large buffer again and again; the other takes turns with it under a lock.
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20, PIECES = 1500 };

static char piece[PIECE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written;

static void *count(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        written += i;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int out = open("/dev/null", O_WRONLY);
    memset(piece, 'x', sizeof piece);
    pthread_create(&t, NULL, count, NULL);
    for (int i = 0; i < PIECES; i++)
        if (write(out, piece, PIECE) != PIECE)
            return 1;
    pthread_mutex_lock(&lock);
    written++;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return written > 7;
}
