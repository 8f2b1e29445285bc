# A replay needs nothing of the world and changes nothing in it: the files, the standard input and the
# child are gone, what the program would write is not written, and it prints what the run printed.
cat > world.c << 'END'
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
static void *copy(void *arg)
{
    FILE *in = fopen("in", "r"), *out = fopen("out", "w");
    char line[100];
    while (in && out && fgets(line, sizeof line, in))
        fprintf(out, "%s", line);
    if (in && out)
        printf("copied %ld bytes\n", ftell(out));
    if (out)
        fclose(out);
    return arg;
}
int main(void)
{
    pthread_t t;
    struct stat st;
    unsigned chance = 0;
    char word[20] = "", *text;
    pthread_create(&t, NULL, copy, NULL);
    int fd = open("in", O_RDONLY);
    if (scanf("%19s", word) != 1 || fstat(fd, &st) != 0)
        return 1;
    text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    pthread_join(t, NULL);
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        return 2;
    printf("%s, %.3s, pid %d, chance %u\n", word, text, (int)getpid(), chance);
    fflush(stdout);
    if (system("echo child; touch touched") != 0)
        return 3;
    int entries = 0;
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));)
        entries += strlen(e->d_name);
    closedir(d);
    printf("entries %d\n", entries > 20);
    FILE *p = popen("date +%N", "r");
    printf("%s", fgets(word, sizeof word, p));
    return pclose(p);
}
END
"$HEDDLE" cc -O1 -w -pthread world.c -o world
printf 'one\ntwo\n' > in
echo stdin | "$HEDDLE" run --policy random --seed 3 -- ./world > first
test "$(cat out)" = "$(cat in)"
mkdir elsewhere
mv in out touched elsewhere
for _ in 1 2 3; do
    "$HEDDLE" replay world.heddle/runs/last < /dev/null > again
    cmp first again
done
ls
sed -E 's/[0-9]{2,}/N/g' first
