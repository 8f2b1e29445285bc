# SPDX-License-Identifier: Apache-2.0
# Standard input from a pipe can be read once: other schedules, and the replay of a witness, get what the
# recorded run got.
cat > sum.c << 'E'
#include <pthread.h>
#include <stdio.h>
static int total;
static void *add(void *arg)
{
    total += *(int *)arg;
    return arg;
}
int main(void)
{
    int a[2];
    pthread_t t[2];
    if (scanf("%d %d", &a[0], &a[1]) != 2)
        return 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, add, &a[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return printf("%d\n", total) < 0;
}
E
"$HEDDLE" cc -g -O1 -pthread sum.c -o sum
echo 3 4 | "$HEDDLE" check -- ./sum > out 2> err || echo "exit $?"
grep -E '^(race|failure)' out
"$HEDDLE" replay sum.heddle/witnesses/race*.witness < /dev/null 2>&1
