/* Threads write to one stream at once: every flockfile section comes out whole. */
//~ exit: 0
//~ stdout: lines 800, broken 0, pairs 400
//~ tsan: skip it does not know flockfile
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 100 };

static FILE *file;
static int id[THREADS];

static void *write_lines(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        flockfile(file); /* two calls that belong together */
        fprintf(file, "begin %d %d\n", me, i);
        fputs("end", file);
        putc_unlocked(' ', file);
        fprintf(file, "%d %d\n", me, i);
        funlockfile(file);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    char begin[64], end[64];
    int lines = 0, broken = 0, pairs = 0;
    file = tmpfile();
    if (file == NULL)
        return 1;
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, write_lines, &id[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    rewind(file);
    while (fgets(begin, sizeof begin, file) != NULL) {
        int a, b, c, d;
        if (fgets(end, sizeof end, file) == NULL)
            break;
        lines += 2;
        if (sscanf(begin, "begin %d %d", &a, &b) != 2 || sscanf(end, "end %d %d", &c, &d) != 2)
            broken++;
        else
            pairs += a == c && b == d;
    }
    fclose(file);
    printf("lines %d, broken %d, pairs %d\n", lines, broken, pairs);
    return 0;
}
