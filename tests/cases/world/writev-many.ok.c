// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// 600 pieces go out with one writev and come in whole.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

enum { PIECES = 600 };

static int ends[2];
static char piece[PIECES];

static void *sender(void *arg)
{
    struct iovec part[PIECES];
    for (int i = 0; i < PIECES; i++) {
        piece[i] = (char)('a' + i % 26); //~ here
        part[i] = (struct iovec){&piece[i], 1};
    }
    must(writev(ends[1], part, PIECES) == PIECES); //~ here
    return arg;
}

int main(void)
{
    char got[PIECES];
    size_t n = 0;
    must(pipe(ends) == 0);
    pthread_t t;
    pthread_create(&t, NULL, sender, NULL);
    while (n < PIECES)
        n += (size_t)read(ends[0], got + n, PIECES - n);
    piece[0] = 'z';
    pthread_join(t, NULL);
    for (int i = 0; i < PIECES; i++)
        must(got[i] == 'a' + i % 26);
    puts("whole");
    return 0;
}
