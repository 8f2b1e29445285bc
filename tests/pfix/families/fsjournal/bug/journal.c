// SPDX-License-Identifier: Apache-2.0
#include "fs.h"

pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;

static int notes[JOURNAL_SIZE];
static int length;

void journal_note(int what)
{
    pthread_mutex_lock(&journal_lock);
    if (length < JOURNAL_SIZE)
        notes[length++] = what;
    pthread_mutex_unlock(&journal_lock);
}

/* Writes down how many names there are, and gives that number. */
int journal_commit(void)
{
    int count;

    pthread_mutex_lock(&journal_lock);
    pthread_mutex_lock(&dir_lock);
    dir_snapshot(&count);
    if (length < JOURNAL_SIZE)
        notes[length++] = count;
    pthread_mutex_unlock(&dir_lock);
    pthread_mutex_unlock(&journal_lock);
    return count;
}

/* Forgets all notes; one that says how many names there are takes their place. */
void journal_checkpoint(void)
{
    pthread_mutex_lock(&journal_lock);
    pthread_mutex_lock(&dir_lock);
    dir_snapshot(&notes[0]);
    length = 1;
    pthread_mutex_unlock(&dir_lock);
    pthread_mutex_unlock(&journal_lock);
}

int journal_length(void)
{
    int n;

    pthread_mutex_lock(&journal_lock);
    n = length;
    pthread_mutex_unlock(&journal_lock);
    return n;
}
