// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two threads read files of their own into one line buffer.
#include <pthread.h>
#include <stdio.h>

static char line[80];

static void *count(void *arg)
{
    FILE *f = arg;
    long lines = 0;
    while (fgets(line, sizeof line, f) != NULL) //~ here
        lines += line[0] != '#';                //~ here
    return (void *)lines;
}

static FILE *make(int lines)
{
    FILE *f = tmpfile();
    for (int i = 0; f != NULL && i < lines; i++)
        fprintf(f, "line %d\n", i);
    if (f != NULL)
        rewind(f);
    return f;
}

int main(void)
{
    FILE *a = make(2), *b = make(3);
    pthread_t t[2];
    if (a == NULL || b == NULL)
        return 1;
    pthread_create(&t[0], NULL, count, a);
    pthread_create(&t[1], NULL, count, b);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    fclose(a);
    fclose(b);
    return 0;
}
