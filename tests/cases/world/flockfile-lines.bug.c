// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Lines are put together by unlocked output; the number of lines is counted behind the lock.
#include <pthread.h>
#include <stdio.h>

static FILE *out;
static int lines;

static void *tell(void *arg)
{
    const char *text = arg;
    for (int i = 0; i < 2; i++) {
        flockfile(out);
        for (const char *p = text; *p != '\0'; p++)
            putc_unlocked(*p, out);
        putc_unlocked('\n', out);
        funlockfile(out);
        lines++; //~ here
    }
    return NULL;
}

int main(void)
{
    char one[] = "one", two[] = "twenty-two";
    pthread_t t[2];
    if ((out = tmpfile()) == NULL)
        return 1;
    pthread_create(&t[0], NULL, tell, one);
    pthread_create(&t[1], NULL, tell, two);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    fflush(out);
    long size = ftell(out);
    fclose(out);
    return size != 30;
}
