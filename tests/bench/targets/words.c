/* SPDX-License-Identifier: Apache-2.0
 *
 * words: four threads count the words of a text in one table, whose buckets have a lock each;
 * many small heap blocks, most work in memory of one's own. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, BUCKETS = 1024, WORD_MAX = 32 };
struct word {
    struct word *next;
    unsigned count;
    char text[];
};
static struct {
    pthread_mutex_t lock;
    struct word *first;
} table[BUCKETS];
static char *text;
static size_t len;

static void count_word(const char *word)
{
    unsigned hash = 5381;
    for (const char *p = word; *p; p++)
        hash = hash * 33 + (unsigned char)*p;
    unsigned bucket = hash % BUCKETS;
    pthread_mutex_lock(&table[bucket].lock);
    struct word *w = table[bucket].first;
    while (w && strcmp(w->text, word) != 0)
        w = w->next;
    if (!w) {
        w = malloc(sizeof *w + strlen(word) + 1);
        w->next = table[bucket].first;
        w->count = 0;
        strcpy(w->text, word);
        table[bucket].first = w;
    }
    w->count++;
    pthread_mutex_unlock(&table[bucket].lock);
}

static void *work(void *arg)
{
    size_t part = (size_t)arg, at = len / THREADS * part, end = len / THREADS * (part + 1);
    char word[WORD_MAX];
    unsigned used = 0;
    for (; at < end; at++) {
        if (isalpha((unsigned char)text[at]) && used + 1 < WORD_MAX) {
            word[used++] = text[at];
        } else if (used > 0) {
            word[used] = 0;
            count_word(word);
            used = 0;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    unsigned long words = 0;
    if (!f)
        return 2;
    text = malloc(4 << 20);
    len = fread(text, 1, 4 << 20, f);
    fclose(f);
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < BUCKETS; i++)
        for (struct word *w = table[i].first; w; w = w->next)
            words += w->count;
    printf("%lu\n", words);
    return 0;
}
