/* Two threads list a directory with scandir. */
//~ exit: 0
//~ stdout: 3 3
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int seen[2];

static int is_ours(const struct dirent *e)
{
    return strncmp(e->d_name, "file-", 5) == 0;
}

static void *list(void *arg)
{
    struct dirent **all;
    int count = scandir("scandir.dir", &all, is_ours, alphasort);
    if (count < 0)
        abort();
    for (int i = 0; i < count; i++) {
        char want[16];
        snprintf(want, sizeof want, "file-%d", i);
        if (strcmp(all[i]->d_name, want) != 0)
            abort();
        free(all[i]);
    }
    free(all);
    *(int *)arg = count;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    char name[32];
    mkdir("scandir.dir", 0777);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "scandir.dir/file-%d", i);
        close(open(name, O_CREAT | O_WRONLY, 0666));
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, list, &seen[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "scandir.dir/file-%d", i);
        unlink(name);
    }
    rmdir("scandir.dir");
    printf("%d %d\n", seen[0], seen[1]);
    return seen[0] != 3 || seen[1] != 3;
}
