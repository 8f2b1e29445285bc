// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads make a temporary file each, with a name of their own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *scratch(void *arg)
{
    char name[16];
    memcpy(name, "scratch-XXXXXX", 15); //~ here
    int fd = mkstemp(name);             //~ here
    if (fd < 0)
        exit(2);
    if (write(fd, arg, 1) != 1)
        exit(3);
    unlink(name); //~ here
    close(fd);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, scratch, "x");
    pthread_create(&b, NULL, scratch, "y");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("cleaned up");
    return 0;
}
