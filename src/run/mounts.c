/* SPDX-License-Identifier: Apache-2.0
 *
 * mounts: the file systems that a run sees, at the paths where they always are. What can be
 * written is covered by an overlay whose changes lie in memory and go with the last process
 * that sees them; what is the kernel's own is shown as it is. The plan is made once for all
 * worlds of a command, and each world follows it in a mount namespace of its own.
 *
 * An overlay covers one file system, not what is mounted inside it. Without privileges the
 * kernel refuses to cover a directory in which others are mounted (it would uncover what lies
 * beneath them): such a directory is made anew, and what is in it covered piece by piece. */
#include "run/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ROOM_MAX_BYTES ((uint64_t)1 << 30)
enum { STEPS_MAX = 400, PATH_MAX_BYTES = 4096, MOUNTS_MAX = 4096 };

static void auto_dir(DIR **d)
{
    if (*d)
        closedir(*d);
}

/* A file system as /proc/self/mountinfo tells it. */
struct mounted {
    char *path; /* owned */
    char type[32];
    bool is_read_only;
};
typedef VEC(struct mounted) mounted_list;

/* ---- what is mounted -------------------------------------------------------------------- */

/* Blanks and the like are written as \040. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++, to++) {
        bool is_octal =
            text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] && text[3];
        *to = is_octal ? (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'))
                       : *text;
        text += is_octal ? 3 : 0;
    }
    *to = 0;
}

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += len)
        if ((at == list || at[-1] == ',') && (at[len] == 0 || at[len] == ','))
            return true;
    return false;
}

static void take_line(mounted_list *out, char *line)
{
    char path[PATH_MAX_BYTES], opts[512], type[32];
    char *behind = strstr(line, " - ");
    if (!behind || sscanf(line, "%*d %*d %*s %*s %4095s %511s", path, opts) != 2 ||
        sscanf(behind, " - %31s", type) != 1)
        return;
    unescape(path);
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return; /* something else was mounted over it */
    struct mounted m = {.is_read_only = has_word(opts, "ro")};
    snprintf(m.type, sizeof m.type, "%s", type);
    for (uint32_t i = 0; i < out->len; i++)
        if (strcmp(out->at[i].path, path) == 0) { /* the last one is on top */
            m.path = out->at[i].path;
            out->at[i] = m;
            return;
        }
    m.path = strdup(path);
    CHECK(m.path);
    vec_push(out, m);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct mounted *)a)->path, ((const struct mounted *)b)->path);
}

static int read_mounts(mounted_list *out, struct err *err)
{
    FILE *f = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t cap = 0;
    if (!f)
        return err_sys(err, "/proc/self/mountinfo");
    while (getline(&line, &cap, f) > 0 && out->len < MOUNTS_MAX)
        take_line(out, line);
    free(line);
    fclose(f);
    if (out->len == 0)
        return err_set(err, "/proc/self/mountinfo: nothing is mounted");
    qsort(out->at, out->len, sizeof *out->at, by_path);
    return 0;
}

static void mounts_done(mounted_list *l)
{
    for (uint32_t i = 0; i < l->len; i++)
        free(l->at[i].path);
    vec_done(l);
}

/* Inside that directory, or it itself. */
static bool is_in(const char *path, const char *directory)
{
    size_t len = strlen(directory);
    return strcmp(directory, "/") == 0 ||
           (strncmp(path, directory, len) == 0 && (path[len] == 0 || path[len] == '/'));
}

static bool has_mounts_below(const mounted_list *l, const char *path)
{
    for (uint32_t i = 0; i < l->len; i++)
        if (strcmp(l->at[i].path, path) != 0 && is_in(l->at[i].path, path))
            return true;
    return false;
}

static bool is_mount(const mounted_list *l, const char *path)
{
    for (uint32_t i = 0; i < l->len; i++)
        if (strcmp(l->at[i].path, path) == 0)
            return true;
    return false;
}

/* ---- one step --------------------------------------------------------------------------- */

/* A place in the world that is being made. */
static void place(struct str *out, const struct mount_plan *p, const char *path)
{
    out->len = 0;
    str_add(out, "%s/root%s", p->base, strcmp(path, "/") == 0 ? "" : path);
}

/* The same place outside: the directory that everything is made in lies above the one that was
 * there, which is reached by a descriptor. */
static void source(struct str *out, const struct mount_plan *p, const char *path)
{
    out->len = 0;
    if (is_in(path, p->base))
        str_add(out, "/proc/self/fd/%d%s", p->base_fd, path + strlen(p->base));
    else
        str_add(out, "%s", path);
}

static void add_escaped(struct str *out, const char *path)
{
    for (; *path; path++) {
        if (strchr("\\:,", *path))
            str_char(out, '\\');
        str_char(out, *path);
    }
}

/* What the user could not write there he cannot write here either, though it is his own. */
static int dress(const struct mount_plan *p, const char *from, const char *to)
{
    struct stat st;
    if (stat(from, &st) < 0)
        return -1;
    mode_t mode = st.st_mode & 07777;
    if (p->is_user && faccessat(AT_FDCWD, from, W_OK, AT_EACCESS) < 0)
        mode &= ~(mode_t)0222;
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    if (!p->is_user && chown(to, st.st_uid, st.st_gid) < 0)
        return -1;
    return chmod(to, mode) < 0 || utimensat(AT_FDCWD, to, times, 0) < 0 ? -1 : 0;
}

static int make_target(const char *from, const char *to)
{
    struct stat st, there;
    if (lstat(to, &there) == 0)
        return 0;
    if (stat(from, &st) < 0)
        return -1;
    if (S_ISDIR(st.st_mode))
        return mkdir(to, 0755);
    AUTO(fd) int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? -1 : 0;
}

/* A directory whose owner or group is not known in the user namespace cannot be copied to the
 * layer of changes, as would be done for the first file that is made in it. So it is there from
 * the beginning, with all that lead to it, as the user's. */
static int raise_path(struct mount_plan *p, const char *step, const char *path, uint32_t number)
{
    AUTO(str) struct str from = {0}, upper = {0};
    size_t begin = strcmp(step, "/") == 0 ? 0 : strlen(step), at = begin;
    while (path[at]) {
        at += strcspn(path + at + 1, "/") + 1;
        from.len = upper.len = 0;
        str_bytes(&from, path, at);
        str_add(&upper, "%s/u%u%s", p->base, number, from.at + begin);
        if (mkdir(upper.at, 0755) < 0 && errno != EEXIST)
            return -1;
        vec_push(&p->raised, (struct mount_raised){number, strdup(from.at + begin)});
    }
    for (uint32_t i = 0; i < p->raised.len; i++) { /* what is made in it changes its time */
        from.len = upper.len = 0;
        str_add(&from, "%s%s", begin ? step : "", p->raised.at[i].path);
        str_add(&upper, "%s/u%u%s", p->base, number, p->raised.at[i].path);
        if (p->raised.at[i].step == number && dress(p, from.at, upper.at) < 0)
            return -1;
    }
    return 0;
}

static int raise_all(struct mount_plan *p, const char *step, uint32_t number)
{
    static const char *const known[] = {"/var/tmp", "/var/lock", "/run/lock"};
    struct stat st;
    for (size_t i = 0; p->is_user && i < sizeof known / sizeof *known; i++)
        if (is_in(known[i], step) && lstat(known[i], &st) == 0 && S_ISDIR(st.st_mode) &&
            raise_path(p, step, known[i], number) < 0)
            return -1;
    return p->is_user && p->from[0] && is_in(p->from, step)
               ? raise_path(p, step, p->from, number)
               : 0;
}

/* number: tells its layers from those of others. */
static int cover(struct mount_plan *p, const char *path, const char *from, const char *to,
                 uint32_t number)
{
    AUTO(str) struct str upper = {0}, work = {0}, opts = {0};
    str_add(&upper, "%s/u%u", p->base, number);
    str_add(&work, "%s/w%u", p->base, number);
    if (mkdir(upper.at, 0755) < 0 || mkdir(work.at, 0755) < 0 ||
        raise_all(p, path, number) < 0 || dress(p, from, upper.at) < 0)
        return -1;
    str_add(&opts, "xino=on,index=on,%s", p->is_user ? "userxattr" : "redirect_dir=on");
    str_add(&opts, "%s,lowerdir=", p->disk ? ",volatile" : "");
    add_escaped(&opts, from);
    str_add(&opts, ",upperdir=%s,workdir=%s", upper.at, work.at);
    return mount("overlay", to, "overlay", 0, opts.at);
}

static int show(const char *from, const char *to)
{
    return make_target(from, to) < 0 ? -1 : mount(from, to, NULL, MS_BIND | MS_REC, NULL);
}

/* What is shown comes with all that is mounted in it. Of the directory that everything is made
 * in that is, on top, all that is being made. */
static int uncover(const struct mount_plan *p, const char *path, const char *to)
{
    struct stat base, st;
    if (strcmp(path, p->base) != 0)
        return 0;
    if (stat(p->base, &base) < 0 || stat(to, &st) < 0)
        return -1;
    return base.st_dev == st.st_dev && base.st_ino == st.st_ino ? umount2(to, MNT_DETACH) : 0;
}

/* Where it is not allowed, because parts of the one outside are hidden, that one does: who asks
 * for himself is found in it too. */
static int show_processes(const char *from, const char *to)
{
    if (make_target(from, to) < 0)
        return -1;
    unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    return mount("proc", to, "proc", flags, NULL) == 0 ? 0 : show(from, to);
}

static int take_step(struct mount_plan *p, const struct mount_step *s, uint32_t number)
{
    AUTO(str) struct str from = {0}, to = {0};
    source(&from, p, s->path);
    place(&to, p, s->path);
    switch (s->kind) {
    case MOUNT_COVER:
        return make_target(from.at, to.at) < 0 || cover(p, s->path, from.at, to.at, number) < 0
                   ? -1
                   : 0;
    case MOUNT_SHOW:
        return show(from.at, to.at) < 0 ? -1 : uncover(p, s->path, to.at);
    case MOUNT_ANEW:
        return (mkdir(to.at, 0755) < 0 && errno != EEXIST) || dress(p, from.at, to.at) < 0 ? -1
                                                                                           : 0;
    case MOUNT_LINK:
        return symlink(s->link, to.at);
    case MOUNT_EMPTY:
        return mount("tmpfs", to.at, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
    case MOUNT_QUEUES:
        return mount("mqueue", to.at, "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    case MOUNT_PROCESSES:
        return show_processes(from.at, to.at);
    }
    return -1;
}

/* ---- where it is made ------------------------------------------------------------------- */

/* A run may fill its own disk, not our memory. */
static uint64_t room_bytes(void)
{
    struct sysinfo s;
    if (sysinfo(&s) < 0)
        return ROOM_MAX_BYTES;
    uint64_t part = (uint64_t)s.totalram * s.mem_unit / 8;
    return part < ROOM_MAX_BYTES ? part : ROOM_MAX_BYTES;
}

/* Our own file system, for what changes, above a directory that always is there. */
static int open_base(struct mount_plan *p, const char *disk, struct err *err)
{
    p->base_fd = open(p->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (p->base_fd < 0)
        return err_sys(err, "%s", p->base);
    char opts[64];
    snprintf(opts, sizeof opts, "mode=755,size=%llu", (unsigned long long)room_bytes());
    int failed = disk ? mount(disk, p->base, NULL, MS_BIND, NULL)
                      : mount("heddle", p->base, "tmpfs", 0, opts);
    return failed ? err_sys(err, "cannot mount a file system for changes") : 0;
}

static bool make_root(const struct mount_plan *p, struct str *root)
{
    place(root, p, "/");
    if (mkdir(root->at, 0755) < 0 && errno != EEXIST)
        return false;
    return p->steps.len > 0 && p->steps.at[0].kind == MOUNT_COVER
               ? true
               : mount(root->at, root->at, NULL, MS_BIND, NULL) == 0;
}

/* ---- what was touched ------------------------------------------------------------------- */

static uint32_t count_entries(int fd)
{
    AUTO(dir) DIR *d = fdopendir(fd);
    uint32_t count = 0;
    if (!d)
        close(fd);
    while (d && readdir(d))
        count++;
    return count;
}

static bool look_at(const struct mount_plan *p, struct mount_note *n)
{
    struct stat st;
    int fd = openat(p->changes, n->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return false;
    n->mode = st.st_mode;
    n->user = st.st_uid;
    n->written_ns = st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    n->entries = count_entries(fd);
    return true;
}

/* Every change of a file begins with an entry in a layer of changes, in its first directory or
 * in one that is there from the beginning. */
static void note(struct mount_plan *p, const char *path)
{
    struct mount_note n = {.path = strdup(path)};
    CHECK(n.path);
    vec_push(&p->notes, n);
}

static void note_all(struct mount_plan *p)
{
    AUTO(str) struct str path = {0};
    note(p, "queues");
    for (uint32_t i = 0; i < p->steps.len; i++) {
        const struct mount_step *s = &p->steps.at[i];
        path.len = 0;
        if (s->kind == MOUNT_COVER) {
            str_add(&path, "u%u", i);
            note(p, path.at);
            for (uint32_t j = 0; j < p->raised.len; j++)
                if (p->raised.at[j].step == i) {
                    path.len = 0;
                    str_add(&path, "u%u%s", i, p->raised.at[j].path);
                    note(p, path.at);
                }
        } else if (s->kind == MOUNT_ANEW || s->kind == MOUNT_EMPTY) {
            note(p, s->path);
        }
    }
    for (uint32_t i = 0; i < p->notes.len; i++)
        look_at(p, &p->notes.at[i]);
}

bool mounts_are_untouched(const struct mount_plan *p)
{
    for (uint32_t i = 0; i < p->notes.len; i++) {
        const struct mount_note *was = &p->notes.at[i];
        struct mount_note is = {.path = was->path};
        if (!look_at(p, &is) || is.entries != was->entries || is.mode != was->mode ||
            is.user != was->user || is.written_ns != was->written_ns)
            return false;
    }
    return p->notes.len > 0;
}

/* ---- a world ---------------------------------------------------------------------------- */

/* Queues of messages belong to no file system that the run need see. */
static int open_changes(struct mount_plan *p, struct err *err)
{
    AUTO(str) struct str queues = {0};
    str_add(&queues, "%s/queues", p->base);
    if (mkdir(queues.at, 0700) < 0 ||
        mount("mqueue", queues.at, "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return err_sys(err, "cannot mount the queues of messages");
    p->changes = open(p->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return p->changes < 0 ? err_sys(err, "%s", p->base) : 0;
}

/* The directory of the run's files is the real one. */
static int bring(const struct mount_plan *p, const char *path, struct err *err)
{
    AUTO(str) struct str to = {0};
    if (!path[0])
        return 0;
    place(&to, p, path);
    for (char *slash = to.at + strlen(p->base) + 6; (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(to.at, 0755); /* mostly it is there */
        *slash = '/';
    }
    mkdir(to.at, 0755);
    return mount(path, to.at, NULL, MS_BIND, NULL) < 0 ? err_sys(err, "%s", path) : 0;
}

static int enter(const struct str *root, struct err *err)
{
    if (chdir(root->at) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
        umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
        return err_sys(err, "cannot enter the new root");
    return 0;
}

int mounts_make(struct mount_plan *p, const struct mount_wish *w, struct err *err)
{
    AUTO(str) struct str root = {0};
    p->from = w->from;
    if (open_base(p, w->disk[0] ? w->disk : NULL, err) < 0)
        return -1;
    if (!make_root(p, &root))
        return err_sys(err, "%s", root.at);
    for (uint32_t i = 0; i < p->steps.len; i++)
        if (take_step(p, &p->steps.at[i], i) < 0)
            return err_sys(err, "cannot mount %s", p->steps.at[i].path);
    if (bring(p, w->files, err) < 0 || open_changes(p, err) < 0)
        return -1;
    close(p->base_fd);
    if (enter(&root, err) < 0 ||
        (w->before[0] && before_restore(w->before, NULL, NULL, err) < 0))
        return -1;
    note_all(p);
    return 0;
}

/* ---- the plan --------------------------------------------------------------------------- */

static void add_step(struct mount_plan *p, enum mount_kind kind, const char *path)
{
    struct mount_step s = {.kind = kind, .path = strdup(path)};
    CHECK(s.path);
    vec_push(&p->steps, s);
}

static void add_link(struct mount_plan *p, const char *path)
{
    char target[PATH_MAX_BYTES];
    ssize_t len = readlink(path, target, sizeof target - 1);
    if (len < 0)
        return;
    target[len] = 0;
    add_step(p, MOUNT_LINK, path);
    p->steps.at[p->steps.len - 1].link = strdup(target);
}

/* Tried, since the kernel does not say what it refuses, and its versions differ. */
static bool can_cover(struct mount_plan *p, const char *path)
{
    AUTO(str) struct str from = {0}, to = {0};
    source(&from, p, path);
    str_add(&to, "%s/trial", p->base);
    if ((mkdir(to.at, 0755) < 0 && errno != EEXIST) ||
        faccessat(AT_FDCWD, from.at, R_OK | X_OK, AT_EACCESS) < 0)
        return false;
    bool can = cover(p, path, from.at, to.at, STEPS_MAX + p->trials++) == 0;
    if (can)
        umount2(to.at, MNT_DETACH);
    return can;
}

/* Nothing in there is this user's to write. */
static bool is_system(const struct mount_plan *p, const char *path)
{
    static const char *const names[] = {"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                        "/lib64", "/libx32", "/boot", "/etc"};
    for (size_t i = 0; p->is_user && i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0)
            return access(path, W_OK) < 0;
    return false;
}

typedef VEC(char *) paths;

/* What is in it, but for what is mounted there; directories are left for later. */
static void split(struct mount_plan *p, const mounted_list *l, const char *path, paths *later)
{
    AUTO(dir) DIR *d = opendir(path);
    AUTO(str) struct str full = {0};
    struct dirent *e;
    add_step(p, MOUNT_ANEW, path);
    while (d && (e = readdir(d)) && p->steps.len <= STEPS_MAX) {
        struct stat st;
        full.len = 0;
        str_add(&full, "%s/%s", strcmp(path, "/") == 0 ? "" : path, e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            is_mount(l, full.at) || lstat(full.at, &st) < 0)
            continue;
        if (S_ISLNK(st.st_mode))
            add_link(p, full.at);
        else if (S_ISDIR(st.st_mode))
            vec_push(later, strdup(full.at));
        else
            add_step(p, MOUNT_SHOW, full.at);
    }
}

/* A directory that others are mounted in is taken apart if it cannot be covered as one. */
static void plan_directory(struct mount_plan *p, const mounted_list *l, const char *first)
{
    paths later = {0};
    vec_push(&later, strdup(first));
    for (uint32_t i = 0; i < later.len; i++) {
        const char *path = later.at[i];
        bool has_more = has_mounts_below(l, path);
        if (!has_more && is_system(p, path))
            add_step(p, MOUNT_SHOW, path);
        else if (can_cover(p, path))
            add_step(p, MOUNT_COVER, path);
        else if (has_more && access(path, R_OK | X_OK) == 0)
            split(p, l, path, &later);
        else
            add_step(p, MOUNT_SHOW, path);
    }
    for (uint32_t i = 0; i < later.len; i++)
        free(later.at[i]);
    vec_done(&later);
}

/* The kernel's own: they hold no data of programs. */
static bool is_kernels(const char *type)
{
    static const char *const types[] = {
        "proc",    "sysfs",   "cgroup",    "cgroup2",    "devtmpfs",  "devpts",
        "debugfs", "tracefs", "bpf",       "securityfs", "hugetlbfs", "configfs",
        "mqueue",  "pstore",  "efivarfs",  "selinuxfs",  "fusectl",   "binfmt_misc",
        "autofs",  "nsfs",    "rpc_pipefs"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static bool is_empty(const char *path)
{
    AUTO(dir) DIR *d = opendir(path);
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            return false;
    return true;
}

static void plan_devices(struct mount_plan *p, const mounted_list *l)
{
    struct stat st;
    add_step(p, MOUNT_SHOW, "/dev");
    if (stat("/dev/shm", &st) == 0 && S_ISDIR(st.st_mode))
        add_step(p,
                 !is_empty("/dev/shm") && can_cover(p, "/dev/shm") ? MOUNT_COVER : MOUNT_EMPTY,
                 "/dev/shm");
    if (is_mount(l, "/dev/mqueue"))
        add_step(p, MOUNT_QUEUES, "/dev/mqueue");
}

static void plan_mount(struct mount_plan *p, const mounted_list *l, const struct mounted *m)
{
    struct stat st;
    if (strcmp(m->path, "/dev") == 0)
        plan_devices(p, l);
    else if (strcmp(m->path, "/proc") == 0)
        add_step(p, MOUNT_PROCESSES, m->path);
    else if (is_kernels(m->type) || m->is_read_only || stat(m->path, &st) < 0 ||
             !S_ISDIR(st.st_mode))
        add_step(p, MOUNT_SHOW, m->path);
    else
        plan_directory(p, l, m->path);
}

/* What is shown is shown with all that is mounted in it. */
static bool is_shown(const struct mount_plan *p, const char *path)
{
    for (uint32_t i = 0; i < p->steps.len; i++)
        if ((p->steps.at[i].kind == MOUNT_SHOW || p->steps.at[i].kind == MOUNT_PROCESSES) &&
            is_in(path, p->steps.at[i].path))
            return true;
    return false;
}

/* A directory that was removed and made anew hides the old one: a mark on it says so, which not
 * every file system takes. */
static bool takes_marks(const struct mount_plan *p)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/marked", p->base);
    const char *name = p->is_user ? "user.overlay.opaque" : "trusted.overlay.opaque";
    return mkdir(path.at, 0755) == 0 && setxattr(path.at, name, "y", 1, 0) == 0;
}

static void find_base(struct mount_plan *p)
{
    static const char *const names[] = {"/sys", "/boot", "/mnt", "/media", "/srv", "/opt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (access(names[i], F_OK) == 0) {
            p->base = names[i];
            return;
        }
    p->base = "/proc";
}

int mounts_plan(struct mount_plan *out, bool is_user, const char *disk, struct err *err)
{
    struct mount_plan p = {.is_user = is_user, .disk = disk, .from = ""};
    mounted_list l = {0};
    find_base(&p);
    if (read_mounts(&l, err) < 0 || open_base(&p, disk, err) < 0)
        return -1;
    int failed = takes_marks(&p) ? 0
                                 : err_set(err, "%s takes no attributes for overlays",
                                           disk ? disk : "the memory file system");
    for (uint32_t i = 0; !failed && i < l.len; i++)
        if (!is_shown(&p, l.at[i].path))
            plan_mount(&p, &l, &l.at[i]);
    mounts_done(&l);
    umount2(p.base, MNT_DETACH);
    close(p.base_fd);
    if (!failed && p.steps.len > STEPS_MAX)
        failed =
            err_set(err, "more than %d file systems and directories would have to be mounted",
                    STEPS_MAX);
    if (!failed)
        *out = p;
    return failed;
}
