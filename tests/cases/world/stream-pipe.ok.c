// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A line through a stream over a pipe announces a box that is filled.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2], box;

static void *packer(void *arg)
{
    FILE *out = fdopen(ends[1], "w");
    box = 6;
    fputs("packed\n", out);
    fclose(out);
    return arg;
}

int main(void)
{
    char line[32];
    must(pipe(ends) == 0);
    FILE *in = fdopen(ends[0], "r");
    pthread_t t;
    pthread_create(&t, NULL, packer, NULL);
    must(fgets(line, sizeof line, in) != NULL);
    int seen = box; //~ here
    pthread_join(t, NULL);
    fclose(in);
    printf("%s", line);
    return seen > 6;
}
