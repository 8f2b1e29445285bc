// SPDX-License-Identifier: Apache-2.0
#include "fs.h"

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER;

static int in_use[INODES] = {1};

/* inode_lock is held. */
int inode_alloc(void)
{
    for (int i = 0; i < INODES; i++) {
        if (!in_use[i]) {
            in_use[i] = 1;
            return i;
        }
    }
    return FREE;
}

int inode_unlink(int inode)
{
    int was;

    pthread_mutex_lock(&inode_lock);
    was = in_use[inode];
    if (was) {
        in_use[inode] = 0;
        journal_note(inode);
    }
    pthread_mutex_unlock(&inode_lock);
    return was;
}

int inode_used(void)
{
    int n = 0;

    pthread_mutex_lock(&inode_lock);
    for (int i = 0; i < INODES; i++)
        n += in_use[i];
    pthread_mutex_unlock(&inode_lock);
    return n;
}
