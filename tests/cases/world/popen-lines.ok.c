// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads read the output of a command each, into a buffer of their own.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int sum;

static void *ask(void *arg)
{
    char line[32] = "";
    FILE *f = popen(arg, "r");
    if (f == NULL || fgets(line, sizeof line, f) == NULL) //~ here
        exit(2);
    pclose(f);
    line[1] = '\0';                        //~ here
    atomic_fetch_add(&sum, line[0] - '0'); //~ here
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, ask, "echo 3");
    pthread_create(&b, NULL, ask, "echo 4");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", atomic_load(&sum));
    return atomic_load(&sum) != 7;
}
