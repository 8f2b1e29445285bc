# SPDX-License-Identifier: Apache-2.0
# The second pass answers from the record: standard input is read once, a file is written once.
cat > prog.c << 'END'
#include <pthread.h>
#include <stdio.h>
static char line[100];
static int shared;
static void *work(void *arg)
{
    shared += line[0];
    return arg;
}
int main(void)
{
    pthread_t t[2];
    FILE *out = fopen("out", "a");
    if (!out || !fgets(line, sizeof line, stdin))
        return 2;
    fprintf(out, "got %s", line);
    fclose(out);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", shared == 2 * 'h');
    return 0;
}
END
heddle cc -O1 -pthread prog.c -o prog
echo hello | heddle run --passes 2 -- ./prog
cat out
heddle replay prog.heddle/runs/last < /dev/null
heddle trace dump prog.heddle/runs/last/trace | grep -c ' shared '
ls prog.heddle/runs/last/
