/* SPDX-License-Identifier: Apache-2.0
 *
 * copy: a private copy of a directory in which a program may do what it likes. Copying is what
 * costs: a copy that is closed waits for the next one who wants that directory, until the
 * command ends. So a command makes as many as it uses at a time, and no more. */
#include "run/parts.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

struct run_copy {
    struct str from, to;
    struct mirror mirror;
    struct run_copy *next; /* in the list below */
};

static struct run_copy *waiting;

static void drop(struct run_copy *c)
{
    if (c->to.len)
        run_remove_tree(c->to.at);
    mirror_done(&c->mirror);
    str_done(&c->from);
    str_done(&c->to);
    free(c);
}

static struct run_copy *take_waiting(const char *from)
{
    for (struct run_copy **at = &waiting; *at; at = &(*at)->next)
        if (strcmp((*at)->from.at, from) == 0) {
            struct run_copy *c = *at;
            *at = c->next;
            c->next = NULL;
            return c;
        }
    return NULL;
}

static struct run_copy *copy_new(const char *from, struct err *err)
{
    const char *temp = getenv("TMPDIR");
    struct run_copy *c = mem_zeroed(1, sizeof *c);
    str_add(&c->from, "%s", from);
    str_add(&c->to, "%s/" MIRROR_PREFIX "XXXXXX", temp && temp[0] ? temp : "/tmp");
    if (mkdtemp(c->to.at))
        return c;
    err_sys(err, "%s", c->to.at);
    c->to.len = 0;
    drop(c);
    return NULL;
}

int copy_open(struct run_copy **out, const char *from, struct err *err)
{
    char full[PATH_MAX];
    if (!realpath(from, full))
        return err_sys(err, "%s", from);
    struct run_copy *c = take_waiting(full);
    if (!c)
        c = copy_new(full, err);
    if (!c)
        return -1;
    if (mirror_settle(&c->mirror, c->from.at, c->to.at, true, err) < 0) {
        drop(c);
        return -1;
    }
    *out = c;
    return 0;
}

int copy_reset(struct run_copy *c, struct err *err)
{
    return mirror_settle(&c->mirror, c->from.at, c->to.at, false, err);
}

const char *copy_path(const struct run_copy *c)
{
    return c->to.at;
}

void copy_close(struct run_copy *c)
{
    if (!c)
        return;
    c->next = waiting;
    waiting = c;
}

void copies_drop(void)
{
    while (waiting) {
        struct run_copy *c = waiting;
        waiting = c->next;
        drop(c);
    }
}

int run_copy_tree(const char *from, const char *to, struct err *err)
{
    struct mirror m = {0};
    if (directory_make(to, err) < 0)
        return -1;
    int result = mirror_settle(&m, from, to, true, err);
    mirror_done(&m);
    return result;
}
