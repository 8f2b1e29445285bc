// SPDX-License-Identifier: Apache-2.0
#include "fs.h"

pthread_mutex_t dir_lock = PTHREAD_MUTEX_INITIALIZER;

static int names[DIR_SIZE];
static int entries;

/* Makes a file and gives its inode, or FREE if there is no room. */
int dir_create(int name)
{
    int inode = FREE;

    pthread_mutex_lock(&dir_lock);
    if (entries < DIR_SIZE) {
        pthread_mutex_lock(&inode_lock);
        inode = inode_alloc();
        pthread_mutex_unlock(&inode_lock);
        if (inode != FREE)
            names[entries++] = name;
    }
    pthread_mutex_unlock(&dir_lock);
    return inode;
}

void dir_snapshot(int *count)
{
    *count = entries;
}

int dir_entries(void)
{
    int n;

    pthread_mutex_lock(&dir_lock);
    n = entries;
    pthread_mutex_unlock(&dir_lock);
    return n;
}
