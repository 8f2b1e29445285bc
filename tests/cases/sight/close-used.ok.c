// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A descriptor is closed behind the join of the thread that writes to it.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send_all(void *arg)
{
    for (int i = 0; i < 2; i++)
        if (write(ends[1], "x", 1) != 1) //~ here
            break;
    return arg;
}

int main(void)
{
    pthread_t t;
    if (pipe(ends) != 0 || pthread_create(&t, NULL, send_all, NULL) != 0)
        return 1;
    pthread_join(t, NULL);
    close(ends[1]); //~ here
    close(ends[0]);
    return 0;
}
