// SPDX-License-Identifier: Apache-2.0
// A toy file system: a directory of names, a table of inodes, and a journal of both.
#ifndef FS_H
#define FS_H

#include <pthread.h>

enum { DIR_SIZE = 4, INODES = 4, JOURNAL_SIZE = 16, FREE = -1 };

extern pthread_mutex_t dir_lock, inode_lock, journal_lock;

/* dir.c */
int dir_create(int name);
void dir_snapshot(int *entries); /* dir_lock is held */
int dir_entries(void);

/* inode.c */
int inode_alloc(void);
int inode_unlink(int inode);
int inode_used(void);

/* journal.c */
void journal_note(int what);
int journal_commit(void);
void journal_checkpoint(void);
int journal_length(void);

#endif
