/* SPDX-License-Identifier: Apache-2.0
 *
 * thing: what the system keeps and threads of the target may tell each other by: files, names,
 * locks of files, event descriptors, queues, other processes. A call that makes one of them
 * another one is a change of it; a call whose answer depends on what it is comes after all
 * changes so far and before all later ones (a sum), or only before the later ones (a look), or
 * after a certain event (to hear). Nothing else is ordered.
 *
 * Things are numbered in the order in which they are met: what they are called by (devices,
 * inodes, process ids) differs from run to run, and a replay has it from the log. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* ---- which one --------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ b * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
    return h ? h : 1;
}

/* Its place in the table: its own, or a free one. */
static uint32_t *slot_of(enum thing_kind kind, uint64_t a, uint64_t b)
{
    uint64_t i = mixed(mixed(a, kind), b) % (2 * THINGS_MAX);
    for (;; i = (i + 1) % (2 * THINGS_MAX)) {
        const struct thing *x = &rt.things[rt.thing_index[i]];
        if (!rt.thing_index[i] || (x->kind == kind && x->a == a && x->b == b))
            return &rt.thing_index[i];
    }
}

/* Beyond the limit all are one, which orders more than has to be. */
thing_id thing_of(enum thing_kind kind, uint64_t a, uint64_t b)
{
    uint32_t *slot = slot_of(kind, a, b);
    if (*slot)
        return *slot;
    if (rt.thing.count == 0 && kind != THING_OUTSIDE) {
        thing_of(THING_OUTSIDE, 0, 0); /* the first one: readers know its address */
        slot = slot_of(kind, a, b);
    }
    if (rt.thing.count + 1 >= THINGS_MAX)
        return THINGS_MAX - 1;
    CHECK((rt.thing.count == 0) == (kind == THING_OUTSIDE));
    *slot = ++rt.thing.count;
    CHECK(!rt.things[*slot].kind);
    rt.things[*slot] = (struct thing){.kind = (uint8_t)kind, .a = a, .b = b};
    return *slot;
}

/* 0: nobody has met it. */
thing_id thing_known(enum thing_kind kind, uint64_t a, uint64_t b)
{
    uint32_t slot = *slot_of(kind, a, b);
    return slot || rt.thing.count + 1 < THINGS_MAX ? slot : THINGS_MAX - 1;
}

thing_id thing_new(enum thing_kind kind)
{
    return thing_of(kind, ++rt.thing.fresh, 0);
}

/* ---- what is told ------------------------------------------------------------------------ */

static void put(const struct call *c, unsigned kind, thing_id id, uint64_t ref)
{
    CHECK(id > 0 && id < THINGS_MAX && c->thr == rt.running);
    if (UNLIKELY(rt.weak.on))
        weak_thing(c->thr, kind);
    if (rt.recording)
        record_event(c->thr,
                     &(struct ev){.kind = (uint8_t)kind,
                                  .addr = THING_ADDRESS + 8 * (uint64_t)id,
                                  .ref = ref},
                     c->site);
}

/* The number of the event that says it. */
uint64_t thing_change(const struct call *c, thing_id id)
{
    put(c, EV_CHANGE, id, NO_EVENT);
    return rt.recording ? rt.trace.event_count - 1 : NO_EVENT;
}

void thing_look(const struct call *c, thing_id id)
{
    put(c, EV_LOOK, id, NO_EVENT);
}

void thing_sum(const struct call *c, thing_id id)
{
    put(c, EV_SUM, id, NO_EVENT);
}

void thing_hear(const struct call *c, thing_id id, uint64_t event)
{
    if (event != NO_EVENT)
        put(c, EV_HEAR, id, event);
    else if (UNLIKELY(rt.weak.on)) /* the same if nothing is recorded */
        weak_thing(c->thr, EV_HEAR);
}

/* Its answer depends on what it was, and it is another one now. */
uint64_t thing_update(const struct call *c, thing_id id)
{
    thing_sum(c, id);
    return thing_change(c, id);
}

/* ---- other processes --------------------------------------------------------------------- */

/* They may hear of it, and go on because of it. */
void outside_told(const struct call *c)
{
    thing_change(c, thing_of(THING_OUTSIDE, 0, 0));
}

/* They may have been told before. */
void outside_heard(const struct call *c)
{
    thing_sum(c, thing_of(THING_OUTSIDE, 0, 0));
}

/* What children can see and change, and inotify tells. */
static void family_told(const struct call *c)
{
    if (rt.has_children || rt.is_watched)
        outside_told(c);
}

static void family_heard(const struct call *c)
{
    if (rt.has_children)
        outside_heard(c);
}

/* Semaphores that processes share have several addresses, and others may have changed them. */
void semaphore_told(const struct call *c)
{
    outside_heard(c);
    outside_told(c);
}

/* ---- names ------------------------------------------------------------------------------- */

static uint64_t hash_text(const char *at, uint64_t len)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    for (uint64_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)at[i]) * 0x100000001b3ULL;
    return h ? h : 1;
}

static uint64_t node_of(const struct stat *st)
{
    return mixed(st->st_dev, st->st_ino);
}

uint64_t thing_node(uint64_t device, uint64_t node)
{
    return mixed(device, node);
}

/* A path without the slashes at its end: how long it is. */
static uint64_t trimmed(const char *path, uint64_t len)
{
    while (len > 1 && path[len - 1] == '/')
        len--;
    return len;
}

/* The directory and the name in it; false: the directory is not there. */
static bool find_parent(int at, char *path, uint64_t len, struct spot *out)
{
    struct stat st;
    uint64_t name = len;
    while (name > 0 && path[name - 1] != '/')
        name--;
    out->name = hash_text(path + name, len - name);
    char kept = path[name];
    path[name] = 0;
    long e = name == 0 ? sys_call(SYS_newfstatat, at, (long)".", (long)&st, 0, 0, 0)
                       : sys_call(SYS_newfstatat, at, (long)path, (long)&st, 0, 0, 0);
    path[name] = kept;
    out->parent = e < 0 ? 0 : node_of(&st);
    return e >= 0;
}

/* Of a directory that is not there, the name that is missing. */
static void find_name(int at, const char *from, struct spot *out)
{
    char path[PATH_BYTES];
    uint64_t len = from ? trimmed(from, __builtin_strlen(from)) : 0;
    if (len == 0 || len >= sizeof path)
        return;
    __builtin_memcpy(path, from, len);
    path[len] = 0;
    while (len > 0 && !find_parent(at, path, len, out)) {
        while (len > 0 && path[len - 1] != '/')
            len--;
        len = trimmed(path, len);
        path[len] = 0;
        if (len == 1)
            return;
    }
}

/* Where a link leads to, instead of where it is; false: it is none. */
static bool follow(int at, char path[PATH_BYTES])
{
    char to[PATH_BYTES];
    long len = sys_call(SYS_readlinkat, at, (long)path, (long)to, sizeof to, 0, 0);
    uint64_t start = __builtin_strlen(path);
    while (len > 0 && to[0] != '/' && start > 0 && path[start - 1] != '/')
        start--;
    start = len > 0 && to[0] == '/' ? 0 : start;
    if (len <= 0 || start + (uint64_t)len >= PATH_BYTES)
        return false;
    __builtin_memcpy(path + start, to, (uint64_t)len);
    path[start + (uint64_t)len] = 0;
    return true;
}

/* The last part of a path may be a link, and lead to others. */
static void find_end(int at, const char *from, struct spot *p)
{
    enum { LINKS_MAX = 40 };
    char path[PATH_BYTES];
    struct spot end = {0};
    uint64_t len = from ? trimmed(from, __builtin_strlen(from)) : 0;
    unsigned links = 0;
    if (len == 0 || len >= sizeof path)
        return;
    __builtin_memcpy(path, from, len);
    path[len] = 0;
    while (links < LINKS_MAX && follow(at, path))
        links++;
    if (links > 0)
        find_name(at, path, &end);
    p->to_parent = end.parent;
    p->to_name = end.name;
}

/* Before the call. */
struct spot spot_before(int at, const char *path)
{
    struct stat st;
    struct spot p = {0};
    if (!rt.recording && !rt.set.dir[0])
        return p;
    find_name(at, path, &p);
    find_end(at, path, &p);
    p.is_relative = path && at == AT_FDCWD && path[0] != '/';
    p.existed = path && sys_call(SYS_newfstatat, at, (long)path, (long)&st, 0, 0, 0) >= 0;
    p.self = p.existed ? node_of(&st) : 0;
    p.is_file = p.existed && S_ISREG(st.st_mode);
    return p;
}

/* Behind it: what has the name now. */
void spot_after(struct spot *p, int at, const char *path)
{
    struct stat st;
    if (path && p->parent && sys_call(SYS_newfstatat, at, (long)path, (long)&st, 0, 0, 0) >= 0)
        p->self = node_of(&st), p->is_file = S_ISREG(st.st_mode);
}

/* The same of a descriptor that has been opened. */
void spot_opened(struct spot *p, int64_t fd)
{
    struct stat st;
    p->self = p->is_file = 0;
    if (fd >= 0 && sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) >= 0)
        p->self = node_of(&st), p->is_file = S_ISREG(st.st_mode);
}

/* Memory that is shared by a name is a file, and may be called one. */
struct spot spot_shared(const char *name)
{
    char path[PATH_BYTES];
    struct text text = {path, 0, sizeof path - 1};
    text_put(&text, "/dev/shm/");
    while (*name == '/')
        name++;
    text_put(&text, name);
    path[text.len] = 0;
    return spot_before(AT_FDCWD, path);
}

static thing_id name_of(const struct spot *p)
{
    return thing_of(THING_NAME, p->parent, p->name);
}

/* The target works elsewhere now. */
void work_moved(const struct call *c)
{
    if (c->result >= 0)
        thing_update(c, thing_of(THING_WORK, 0, 0));
}

void work_asked(const struct call *c)
{
    thing_id work = thing_known(THING_WORK, 0, 0);
    if (work)
        thing_sum(c, work);
}

/* The answer depends on whether it is there, and on the directory where it is. */
void spot_asked(const struct call *c, const struct spot *p)
{
    if (!p->parent)
        return;
    thing_id directory = thing_known(THING_DIRECTORY, p->parent, 0);
    if (directory)
        thing_sum(c, directory);
    thing_sum(c, name_of(p));
    if (p->to_parent)
        thing_sum(c, thing_of(THING_NAME, p->to_parent, p->to_name));
    if (p->is_relative)
        work_asked(c);
    family_heard(c);
}

/* It came, went, or is another one now. */
void spot_changed(const struct call *c, const struct spot *p)
{
    if (!p->parent)
        return;
    spot_asked(c, p);
    thing_change(c, name_of(p));
    if (p->to_parent)
        thing_change(c, thing_of(THING_NAME, p->to_parent, p->to_name));
    thing_change(c, thing_of(THING_LISTS, 0, 0));
    if (p->self)
        thing_change(c, thing_of(THING_DIRECTORY, p->self, 0));
    family_told(c);
}

/* A call that changes a name if it succeeds. */
void spot_told(const struct call *c, const struct spot *p)
{
    if (c->result >= 0)
        spot_changed(c, p);
    else
        spot_asked(c, p);
}

/* Whoever lists a directory: which one does not matter. */
void spot_listed(const struct call *c)
{
    thing_sum(c, thing_of(THING_LISTS, 0, 0));
    family_heard(c);
}

/* ---- files ------------------------------------------------------------------------------- */

void file_asked(const struct call *c, uint64_t node)
{
    if (!node)
        return;
    thing_id file = thing_of(THING_FILE, node, 0);
    thing_sum(c, file);
    if (rt.things[file].is_mapped) /* whoever wrote there */
        channel_pin(c);
    family_heard(c);
}

void file_mapped(uint64_t node)
{
    if (node)
        rt.things[thing_of(THING_FILE, node, 0)].is_mapped = true;
}

void file_changed(const struct call *c, uint64_t node)
{
    if (!node)
        return;
    thing_change(c, thing_of(THING_FILE, node, 0));
    family_told(c);
}
