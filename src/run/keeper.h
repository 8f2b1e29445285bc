/* SPDX-License-Identifier: Apache-2.0
 *
 * keeper: the processes behind the worlds of runs. See keeper.c; mounts.c for what they see. */
#ifndef RUN_KEEPER_H
#define RUN_KEEPER_H

#include "run/parts.h"

/* ---- mounts.c --------------------------------------------------------------------------- */

enum mount_kind {
    MOUNT_COVER,     /* an overlay: what is written goes elsewhere */
    MOUNT_SHOW,      /* as it is, with all that is mounted in it */
    MOUNT_ANEW,      /* a directory of our own, for other steps to fill */
    MOUNT_LINK,      /* a symbolic link in such a directory */
    MOUNT_EMPTY,     /* a file system in memory */
    MOUNT_QUEUES,    /* message queues of the world */
    MOUNT_PROCESSES, /* processes of the world */
};

struct mount_step {
    enum mount_kind kind;
    char *path, *link; /* owned; link: of MOUNT_LINK */
};

/* A directory that is in a layer of changes from the beginning. */
struct mount_raised {
    uint32_t step;
    char *path; /* owned; from where the step begins */
};

struct mount_plan {
    VEC(struct mount_step) steps;
    bool is_user;     /* in a user namespace: attributes must be the user's */
    const char *disk; /* changes lie in directories on the disk; NULL: in memory */
    const char *base; /* where it is all made */
    int base_fd;      /* what lies below that */
    const char *from; /* where the run will work */
    int changes;      /* where changes lie, once it is made */
    VEC(struct mount_note) notes;
    VEC(struct mount_raised) raised;
    uint32_t trials;
};

/* In a mount namespace of our own. disk: a directory for changes; NULL: memory. */
int mounts_plan(struct mount_plan *out, bool is_user, const char *disk, struct err *err);
/* A directory as it was when nobody had been in the world. */
struct mount_note {
    char *path; /* owned; below the place for changes, or in the world if it begins with / */
    uint32_t entries;
    uint32_t mode, user;
    int64_t written_ns;
};

/* What one world is to be; what is not wanted is empty. */
struct mount_wish {
    int flags;          /* the namespaces that are its own */
    const char *files;  /* a directory that is not to be covered */
    const char *disk;   /* where changes are to lie; empty: in memory */
    const char *from;   /* where the run will work */
    const char *before; /* old contents to put back */
};

/* Makes the file systems of a world and goes there. */
int mounts_make(struct mount_plan *p, const struct mount_wish *w, struct err *err);
/* Since it was made nobody has changed a file or left a queue in it. */
bool mounts_are_untouched(const struct mount_plan *p);

/* ---- keeper.c --------------------------------------------------------------------------- */

enum { PACKET_FDS_MAX = 4 };
/* The namespaces of a world; the user's is the keeper's. */
#define WORLD_FLAGS (CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS)

/* As the keeper reads it. */
void wish_write(struct str *out, const struct mount_wish *w);
int packet_send(int to, const struct str *text, const int *fds, uint32_t count);
/* out: the socket to ask it through. */
pid_t keeper_start(int *out, struct err *err);

#endif
