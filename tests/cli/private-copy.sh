# SPDX-License-Identifier: Apache-2.0
# A program that spoils its directory finds it as it was in every run.
cat >spoil.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int seen;
static void *see(void *arg)
{
    seen++;
    return arg;
}
static int holds(const char *path, const char *want)
{
    char text[32] = "";
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, sizeof text, f))
        strcpy(text, "nothing");
    if (f)
        fclose(f);
    return strcmp(text, want) == 0;
}
static void put(const char *path, const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    fputs(text, f);
    fclose(f);
}
int main(void)
{
    pthread_t t[2];
    int pristine = holds("data/in-place", "old") && holds("data/cut", "old") &&
                   holds("data/longer", "old") && holds("data/renamed", "old") &&
                   holds("data/deleted", "old") && access("data/new", F_OK) != 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, see, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    put("data/in-place", "r+", "new");
    truncate("data/cut", 1);
    put("data/longer", "a", "er");
    rename("data/renamed", "data/deleted");
    unlink("data/deleted");
    mkdir("data/new", 0700);
    return pristine ? 0 : 9;
}
EOF
"$HEDDLE" cc -g -pthread -o spoil spoil.c
pristine() {
    rm -rf data
    mkdir data
    for f in in-place cut longer renamed deleted; do printf old >data/$f; done
}
pristine
"$HEDDLE" run --policy random --runs 20 --jobs 2 -- ./spoil | awk '{print $1, $2, $3}'
cat data/in-place data/longer && echo
# The recorded run of a check has a world of its own too, and leaves nothing behind.
"$HEDDLE" check --json -- ./spoil >found.json || echo "exit code $?"
python3 -c 'import json
for f in json.load(open("found.json"))["findings"]:
    print(f["pattern"], f["verdict"], f["harm"])'
echo data/*
# A copy that stands inside of what is copied is no part of it.
pristine
for temp in "$PWD" "$PWD/inner"; do
    mkdir -p "$temp"
    TMPDIR=$temp "$HEDDLE" run --policy random --runs 20 --jobs 2 -- ./spoil | awk '{print $1, $2, $3}'
done
ls -d heddle-copy-* inner/heddle-copy-* "${TMPDIR:-/tmp}"/heddle-copy-* 2>/dev/null
true
