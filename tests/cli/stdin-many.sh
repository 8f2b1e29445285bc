# SPDX-License-Identifier: Apache-2.0
# Standard input from a pipe, or a file that stands somewhere: every one of many runs gets all of it.
# A pipe that nobody writes to, and nobody closes, holds up only who reads from it.
cat > sum.c << 'E'
#include <pthread.h>
#include <stdio.h>
static int total;
static void *add(void *arg)
{
    int before = total;
    total = before + *(int *)arg;
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
    return total == a[0] + a[1] ? 0 : 9;
}
E
sed 's/int before/static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n    pthread_mutex_lock(\&m);\n    int before/
    s/return arg;/pthread_mutex_unlock(\&m);\n    return arg;/' sum.c > mended.c
cat > count.c << 'E'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    char some[5000];
    long all = 0, n;
    while ((n = read(0, some, sizeof some)) > 0)
        all += n;
    return printf("%ld\n", all) < 0;
}
E
printf 'int main(void) { return 0; }\n' > none.c
for f in sum mended count none; do "$HEDDLE" cc -g -O1 -pthread $f.c -o $f; done

outcomes() { awk '!/^outcome/ { print $1, $2 }' | sort; }
echo pipe:
echo 3 4 | "$HEDDLE" run --policy random --runs 40 --jobs 2 -- ./sum 2>&1 | outcomes
echo more than a pipe holds:
head -c 300000 /dev/zero | "$HEDDLE" run --runs 5 --jobs 2 --oracle 'grep -qx 300000' -- ./count 2>&1 | outcomes
echo file that was begun:
printf '1\n3\n4\n' > three
{ python3 -c 'import os; os.read(0, 2)'
  "$HEDDLE" run --runs 5 -- ./mended 2>&1 | outcomes; } < three
echo nobody writes:
mkfifo quiet
{ "$HEDDLE" run --runs 3 -- ./none 2>&1 | outcomes
  "$HEDDLE" run --runs 2 --jobs 2 --timeout 1 -- ./count 2>&1 | outcomes; } <> quiet
echo causes:
echo 3 4 | "$HEDDLE" causes --runs 60 -- ./sum 2>&1 | grep -oE '^exit [0-9]+'
echo verify:
echo 3 4 | "$HEDDLE" verify --before ./sum --after ./mended 2>/dev/null | grep -E '^(fixed|broken|unknown)'
echo a finding is fixed with the input that it was found with:
echo 3 4 | "$HEDDLE" check --no-explore -- ./sum > /dev/null 2>&1 || true
"$HEDDLE" fix --runs 40 --explore 20 race < /dev/null 2>/dev/null | grep -o 'proven patch for race'
