# SPDX-License-Identifier: Apache-2.0
# What a program writes to a file by any call shows in its mapping of that file, in a replay too.
cat >mapped.c <<'E'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
enum { PAGE = 4096 };
static volatile char *map, *upper;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void must(int holds, int line)
{
    if (!holds) {
        fprintf(stderr, "line %d\n", line);
        abort();
    }
}
#define MUST(x) must(x, __LINE__)
static void *write_all_ways(void *arg)
{
    int fd = open("data", O_RDWR), more = open("data", O_WRONLY | O_APPEND);
    struct iovec v[2] = {{"ve", 2}, {"ctor", 4}};
    pthread_mutex_lock(&lock);
    MUST(pwrite(fd, "a", 1, 0) == 1 && map[0] == 'a');
    MUST(write(fd, "bc", 2) == 2 && map[0] == 'b' && map[1] == 'c');
    MUST(writev(fd, v, 2) == 6 && map[2] == 'v' && map[7] == 'r');
    MUST(pwritev(fd, v, 2, 100) == 6 && map[100] == 'v' && map[105] == 'r');
    MUST(write(more, "end", 3) == 3);
    MUST(ftruncate(fd, 2 * PAGE) == 0 && upper[0] == 'e' && upper[2] == 'd');
    map[PAGE - 1] = 'x';
    char c;
    MUST(pread(fd, &c, 1, PAGE - 1) == 1 && c == 'x');
    FILE *f = fopen("data", "r+");
    MUST(fputs("stream", f) >= 0 && fclose(f) == 0 && map[0] == 's' && map[5] == 'm');
    MUST(fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, PAGE) == 0 && map[0] == 0 && map[100] == 0);
    MUST(truncate("data", 1) == 0 && ftruncate(fd, 2 * PAGE) == 0 && upper[0] == 0);
    pthread_mutex_unlock(&lock);
    close(fd);
    close(more);
    return arg;
}
int main(void)
{
    pthread_t t;
    int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    static char bytes[1024], got[1024];
    struct iovec v[1024];
    MUST(ftruncate(fd, PAGE) == 0);
    map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    upper = map + PAGE;
    pthread_create(&t, NULL, write_all_ways, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < 1024; i++) {
        bytes[i] = (char)('A' + i % 26);
        v[i] = (struct iovec){got + i, 1};
    }
    MUST(pwrite(fd, bytes, sizeof bytes, 0) == sizeof bytes && map[1000] == bytes[1000]);
    MUST(preadv(fd, v, 1024, 0) == 1024 && memcmp(bytes, got, sizeof got) == 0);
    MUST(open("data", O_RDWR | O_TRUNC) >= 0);
    MUST(pwrite(fd, "y", 1, PAGE - 1) == 1 && map[0] == 0 && map[PAGE - 1] == 'y');
    puts("all seen");
    return 0;
}
E
"$HEDDLE" cc -g -O1 -pthread mapped.c -o mapped
"$HEDDLE" run -- ./mapped
rm data
"$HEDDLE" replay mapped.heddle/runs/last
"$HEDDLE" replay --times 5 mapped.heddle/runs/last && echo replays
[ -e data ] || echo "nothing was written"
"$HEDDLE" run --policy random --seed 3 -- ./mapped
"$HEDDLE" replay mapped.heddle/runs/last
