/* Threads share anonymous and file mappings, grow one, protect it, and see the file change. */
//~ exit: 0
//~ stdout: anonymous 1024, kept after growing yes, file says weft, read-only yes
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 3, PAGE = 4096 };

static int *numbers;
static char *text;

static void *fill(void *arg)
{
    int me = *(int *)arg;
    for (int i = me; i < PAGE / 4; i += THREADS)
        numbers[i] = i % 2000;
    if (me == 1)
        memcpy(text, "weft", 5);
    return NULL;
}

int main(void)
{
    char name[] = "/tmp/heddle-mmap-XXXXXX", content[5] = "";
    pthread_t t[THREADS];
    int id[THREADS], count = 0, fd = mkstemp(name);
    if (fd < 0 || ftruncate(fd, PAGE) != 0)
        return 1;
    unlink(name);
    numbers = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    text = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, fill, &id[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < PAGE / 4; i++)
        count += numbers[i] == i % 2000;
    msync(text, PAGE, MS_SYNC);
    if (pread(fd, content, 5, 0) != 5)
        return 1;

    int *larger =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    larger[5] = 5;
    larger = mremap(larger, 2 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
    int kept = larger[5] == 5 && larger[15 * PAGE / 4] == 0;
    int protected = mprotect(text, PAGE, PROT_READ) == 0 && text[0] == 'w';
    printf("anonymous %d, kept after growing %s, file says %s, read-only %s\n", count,
           kept ? "yes" : "no", content, protected ? "yes" : "no");
    munmap(larger, 16 * PAGE);
    return munmap(text, PAGE) + munmap(numbers, PAGE);
}
