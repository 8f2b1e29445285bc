// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// Two workers report through a pipe each; when one of them is ready both results are taken.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2][2], result[2];

static void *worker(void *arg)
{
    long id = (long)arg;
    result[id] = (int)id + 1; //~ here
    must(write(ends[id][1], "r", 1) == 1);
    return NULL;
}

static int collect(void)
{
    struct pollfd p[2] = {{ends[0][0], POLLIN, 0}, {ends[1][0], POLLIN, 0}};
    int total = 0;
    for (int left = 2; left > 0;) {
        must(poll(p, 2, -1) > 0);
        if (left == 2)
            total = result[0] + result[1]; //~ here
        for (int i = 0; i < 2; i++) {
            char c;
            if (!(p[i].revents & POLLIN))
                continue;
            must(read(p[i].fd, &c, 1) == 1);
            p[i].fd = -1;
            left--;
        }
    }
    return total;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++) {
        must(pipe(ends[i]) == 0);
        pthread_create(&t[i], NULL, worker, (void *)i);
    }
    int total = collect();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("collected\n");
    return total > 3;
}
