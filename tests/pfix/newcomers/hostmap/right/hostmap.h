// SPDX-License-Identifier: Apache-2.0
#ifndef HOSTMAP_H
#define HOSTMAP_H

#define SHARDS 2
#define NAME_MAX_LEN 16

struct host {
    char name[NAME_MAX_LEN];
    int address;
    struct host *next;
};

int hostmap_add(const char *name, int address);
int hostmap_find(const char *name);
int hostmap_rename(const char *name, const char *to);
int hostmap_count(void);
void hostmap_clear(void);

#endif
