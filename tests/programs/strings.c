/* libc's memory and string functions on buffers that threads share. */
//~ exit: 0
//~ stdout: 4 parts: abcdabcdabcdabcd
//~ stdout: moved bcdabcdabcdabcd, compared 1 0, found dabc at 3, last c at 13
//~ stdout: zeroed 0, duplicated weft, number 42, tokens 3
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[64], copy[64];
static int parts;

static void *append(void *arg)
{
    (void)arg;
    char local[8];
    strcpy(local, "ab");
    stpcpy(local + strlen(local), "cd");
    pthread_mutex_lock(&m);
    if (parts % 2 == 0)
        strcat(text, local);
    else
        strncat(text, local, sizeof text - strlen(text) - 1);
    parts++;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *copy_it(void *arg)
{
    memcpy(copy, text, sizeof copy);
    memmove(copy, copy + 1, strlen(copy)); /* overlaps; takes the end along */
    return arg;
}

int main(void)
{
    pthread_t t[PARTS];
    for (int i = 0; i < PARTS; i++)
        pthread_create(&t[i], NULL, append, NULL);
    for (int i = 0; i < PARTS; i++)
        pthread_join(t[i], NULL);
    printf("%d parts: %s\n", parts, text);
    pthread_create(&t[0], NULL, copy_it, NULL);
    pthread_join(t[0], NULL);
    printf("moved %s, compared %d %d, ", copy, strcmp(copy, text) > 0,
           memcmp(copy, text + 1, 15));
    printf("found dabc at %d, ", (int)(strstr(text, "dabc") - text));
    printf("last c at %d\n", (int)(strrchr(copy, 'c') - copy));

    memset(text, 0, sizeof text);
    char *duplicate = strdup("warp weft"), list[] = "a,b;c", *rest = list;
    int tokens = 0;
    while (strsep(&rest, ",;") != NULL)
        tokens++;
    printf("zeroed %zu, duplicated %s, number %ld, tokens %d\n", strlen(text),
           strchr(duplicate, ' ') + 1, strtol("42 threads", NULL, 10), tokens);
    free(duplicate);
    return 0;
}
