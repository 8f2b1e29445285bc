/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: stands in for libFuzzer in ordinary builds. Runs a fuzz target once on every file
 * given, and on every file of every directory given, in the order of their names. Each input
 * lies in a buffer of exactly its size, so that a sanitizer sees a read past the end. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned input_count;

static void die(const char *path)
{
    perror(path);
    exit(4);
}

static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size);
    if (!file || (!data && size) || fread(data, 1, size, file) != size)
        die(path);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that crashed */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    input_count++;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        die(path);
    if (!S_ISDIR(st.st_mode)) {
        replay_file(path, (size_t)st.st_size);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0)
        die(path);
    for (int i = 0; i < count; i++) {
        char *inner;
        if (asprintf(&inner, "%s/%s", path, entries[i]->d_name) < 0)
            die(path);
        replay(inner);
        free(inner);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%u inputs\n", input_count);
    return 0;
}
