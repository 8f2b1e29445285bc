# SPDX-License-Identifier: Apache-2.0
# Random numbers, temporary names, ports that the system may choose and the processor are the same in every
# run, whatever its schedule; what is said by a thread's number is replayed. A replay that fails says so.
cat >chance.c <<'E'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *draw(void *arg)
{
    uint32_t a = 0, b = 0, c = 0;
    char name[] = "temp-XXXXXX";
    getrandom(&a, sizeof a, 0);
    int fd = open("/dev/urandom", O_RDONLY);
    if (read(fd, &b, sizeof b) != sizeof b)
        abort();
    close(fd);
    FILE *f = fopen("/dev/random", "r");
    if (!f || fread(&c, 1, sizeof c, f) != sizeof c)
        abort();
    fclose(f);
    fd = mkstemp(name);
    close(fd);
    unlink(name);
    pthread_mutex_lock(&lock);
    printf("%ld %08x %08x %08x %s\n", (long)(intptr_t)arg, a, b, c, name);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    cpu_set_t set, got;
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof at;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    bind(s, (struct sockaddr *)&at, sizeof at);
    getsockname(s, (struct sockaddr *)&at, &len);
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    int e = sched_setaffinity(syscall(SYS_gettid), sizeof set, &set);
    sched_getaffinity(0, sizeof got, &got);
    printf("port %s, affinity %d %d, priority %s\n", ntohs(at.sin_port) ? "known" : "0", e, CPU_EQUAL(&set, &got), getpriority(PRIO_PROCESS, gettid()) == getpriority(PRIO_PROCESS, 0) ? "one" : "two");
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, draw, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
E
"$HEDDLE" cc -g -O1 -pthread chance.c -o chance
for seed in 1 2 3 4; do
    "$HEDDLE" run --policy random --seed $seed -- ./chance | sort | cksum
done | sort -u | wc -l
"$HEDDLE" run -- ./chance | head -1
"$HEDDLE" replay --times 5 chance.heddle/runs/last && echo replays
cat >untold.c <<'E'
#include <stdio.h>
int main(void)
{
    FILE *f = fopen("absent", "r");
    int c = f ? fgetc(f) : '?';
    return printf("%c\n", c) < 0;
}
E
"$HEDDLE" cc -g untold.c -o untold
"$HEDDLE" run -- ./untold
cp chance.heddle/runs/last/input untold.heddle/runs/last/input
"$HEDDLE" replay untold.heddle/runs/last 2>&1 || echo "exit $?"
