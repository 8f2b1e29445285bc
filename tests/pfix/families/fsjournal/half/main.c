// SPDX-License-Identifier: Apache-2.0
#include "fs.h"

#include <stdio.h>

static void *creator(void *arg)
{
    (void)arg;
    dir_create('a');
    dir_create('b');
    return NULL;
}

static void *remover(void *arg)
{
    (void)arg;
    inode_unlink(0);
    return NULL;
}

static void *committer(void *arg)
{
    (void)arg;
    journal_checkpoint();
    journal_commit();
    return NULL;
}

int main(void)
{
    static void *(*const roles[])(void *) = {creator, remover, committer};
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, roles[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (dir_entries() != 2 || inode_used() != 2 || journal_length() < 2) {
        fprintf(stderr, "%d names, %d inodes, %d notes\n", dir_entries(), inode_used(),
                journal_length());
        return 1;
    }
    return 0;
}
