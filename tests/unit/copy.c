/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of run/copy.c: whatever a program does in its private copy, it finds the next one as
 * the first one was. The directories are compared by listing both from scratch. */
#include "base/io.h"
#include "base/rng.h"
#include "run/parts.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything that a program could see: names, modes, times, contents. */
static void list(struct str *out, const char *path)
{
    struct dirent **all = NULL;
    int count = scandir(path, &all, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        AUTO(str) struct str inner = {0};
        const char *name = all[i]->d_name;
        struct stat st;
        str_add(&inner, "%s/%s", path, name);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && lstat(inner.at, &st) == 0) {
            str_add(out, "%s mode %o", name, (unsigned)st.st_mode);
            if (!S_ISLNK(st.st_mode))
                str_add(out, " written %lld.%ld", (long long)st.st_mtim.tv_sec,
                        st.st_mtim.tv_nsec);
            if (S_ISDIR(st.st_mode)) {
                str_add(out, " {\n");
                list(out, inner.at);
                str_add(out, "}");
            } else {
                char text[4096];
                AUTO(fd) int fd = S_ISREG(st.st_mode) ? open(inner.at, O_RDONLY) : -1;
                ssize_t n = S_ISREG(st.st_mode) ? read(fd, text, sizeof text)
                                                : readlink(inner.at, text, sizeof text);
                str_add(out, " holds ");
                str_bytes(out, text, n > 0 ? (size_t)n : 0);
            }
            str_add(out, "\n");
        }
        free(all[i]);
    }
    free(all);
}

static void put(const char *path, const char *text)
{
    struct err err;
    EXPECT_EQ(file_write(path, text, strlen(text), &err), 0);
}

/* Old enough to be trusted; one test has newer ones. */
static void make_old(const char *path)
{
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000, .tv_nsec = 7}};
    EXPECT_EQ(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static const char *const files[] = {"a", "b", "c", "in/a", "in/b", "in/deep/a", "in/deep/b"};
static const char *const directories[] = {"in", "in/deep", "empty"};
enum { FILES = 7, DIRECTORIES = 3, NAME_BYTES = 64 };

static void make_original(char *path, size_t bytes)
{
    const char *temp = getenv("TMPDIR");
    snprintf(path, bytes, "%s/original-XXXXXX", temp ? temp : "/tmp");
    EXPECT(mkdtemp(path) != NULL);
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    EXPECT_EQ(chdir(path), 0);
    for (int i = 0; i < DIRECTORIES; i++)
        EXPECT_EQ(mkdir(directories[i], 0755), 0);
    for (int i = 0; i < FILES; i++) {
        put(files[i], files[i]);
        make_old(files[i]);
    }
    EXPECT_EQ(symlink("in/a", "link"), 0);
    EXPECT_EQ(mkdir("shut", 0700), 0);
    put("shut/a", "cannot be written");
    EXPECT_EQ(chmod("shut/a", 0400), 0);
    EXPECT_EQ(chmod("shut", 0500), 0);
    EXPECT_EQ(mkdir("prog.heddle", 0700), 0);
    put("prog.heddle/large", "not copied");
    EXPECT_EQ(fchdir(here), 0);
    close(here);
}

/* ---- what a program may do -------------------------------------------------------------- */

static void overwrite(const char *path, bool hides)
{
    struct stat st;
    AUTO(fd) int fd = open(path, O_WRONLY);
    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    EXPECT_EQ(pwrite(fd, "!", 1, 0), 1);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    if (hides)
        futimens(fd, times);
}

static void write_through_memory(const char *path)
{
    struct stat st;
    AUTO(fd) int fd = open(path, O_RDWR);
    bool has_room = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    char *at = !has_room ? MAP_FAILED : mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return;
    *at = '!';
    munmap(at, 1);
}

static void append(const char *path)
{
    AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd >= 0)
        EXPECT_EQ(write(fd, "more", 4), 4);
}

/* Some of these fail, as a program's own would. */
static void do_something(struct rng *r)
{
    const char *a = files[rng_below(r, FILES)], *b = files[rng_below(r, FILES)];
    const char *d = directories[rng_below(r, DIRECTORIES)];
    struct stat st;
    switch (rng_below(r, 14)) {
    case 0:
        overwrite(a, false);
        break;
    case 1:
        overwrite(a, true);
        break;
    case 2:
        write_through_memory(a);
        break;
    case 3:
        append(a);
        break;
    case 4:
        (void)!truncate(a, 0);
        break;
    case 5:
        rename(a, b);
        break;
    case 6:
        unlink(a);
        break;
    case 7:
        append("new");
        break;
    case 8:
        chmod(rng_below(r, 2) ? a : d, 0700);
        break;
    case 9: /* the other name is written, the first one changes */
        if (lstat(a, &st) == 0 && link(a, "in/other") == 0) {
            overwrite("in/other", true);
            unlink("in/other");
        }
        break;
    case 10:
        unlink("link");
        (void)!symlink(a, "link");
        break;
    case 11:
        rename(d, "moved");
        break;
    case 12:
        run_remove_tree(d);
        break;
    default:
        unlink(a);
        mkdir(a, 0755);
    }
}

static bool looks_alike(const char *original, const char *copy, const char *when)
{
    AUTO(str) struct str want = {0}, got = {0};
    list(&want, original);
    list(&got, copy);
    char *ours = strstr(want.at, "prog.heddle"), *behind = ours ? strstr(ours, "}\n") : NULL;
    if (behind) /* our own results are not copied */
        memmove(ours, behind + 2, strlen(behind + 2) + 1);
    if (strcmp(want.at, got.at) == 0)
        return true;
    FAIL("%s: the copy is\n%snot\n%s", when, got.at, want.at);
    return false;
}

TEST(every_run_finds_the_directory_as_it_was)
{
    enum { ROUNDS = 400, ACTS = 4 };
    char original[NAME_BYTES * 4];
    struct run_copy *c = NULL;
    struct err err;
    struct rng r = {11};
    make_original(original, sizeof original);
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(copy_open(&c, original, &err) == 0);
    uint32_t changed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        AUTO(str) struct str before = {0}, after = {0};
        list(&before, copy_path(c));
        REQUIRE(chdir(copy_path(c)) == 0);
        for (uint32_t i = 1 + rng_below(&r, ACTS); i > 0; i--)
            do_something(&r);
        REQUIRE(fchdir(here) == 0);
        list(&after, copy_path(c));
        changed += strcmp(before.at, after.at) != 0;
        REQUIRE(copy_reset(c, &err) == 0);
        if (!looks_alike(original, copy_path(c), "reset"))
            break;
    }
    EXPECT(changed > ROUNDS * 3 / 4); /* they do something, mostly */
    copy_close(c);
    copies_drop();
    close(here);
    run_remove_tree(original);
}

TEST(a_copy_that_waited_follows_the_original)
{
    char original[NAME_BYTES * 4], first[NAME_BYTES * 4], name[NAME_BYTES * 5];
    struct run_copy *c = NULL;
    struct err err;
    make_original(original, sizeof original);
    REQUIRE(copy_open(&c, original, &err) == 0);
    snprintf(first, sizeof first, "%s", copy_path(c));
    snprintf(name, sizeof name, "%s/a", first);
    append(name); /* by a run */
    copy_close(c);
    snprintf(name, sizeof name, "%s/in/b", original);
    append(name); /* by the user */
    snprintf(name, sizeof name, "%s/c", original);
    unlink(name);
    REQUIRE(copy_open(&c, original, &err) == 0);
    EXPECT_STR(copy_path(c), first); /* it was not made anew */
    looks_alike(original, copy_path(c), "opened again");
    struct run_copy *other = NULL;
    REQUIRE(copy_open(&other, original, &err) == 0);
    EXPECT(strcmp(copy_path(other), first) != 0); /* that one is in use */
    copy_close(c);
    copy_close(other);
    copies_drop();
    EXPECT(access(first, F_OK) < 0 && errno == ENOENT);
    run_remove_tree(original);
}

/* Written just before it was copied, and again by the program in the same tick of the clock, to
 * the same length. */
TEST(a_file_that_is_new_is_not_taken_for_untouched)
{
    char original[NAME_BYTES * 4], name[NAME_BYTES * 5];
    struct run_copy *c = NULL;
    struct err err;
    make_original(original, sizeof original);
    for (int round = 0; round < 50; round++) {
        snprintf(name, sizeof name, "%s/a", original);
        put(name, "fresh");
        REQUIRE(copy_open(&c, original, &err) == 0);
        snprintf(name, sizeof name, "%s/a", copy_path(c));
        overwrite(name, true);
        REQUIRE(copy_reset(c, &err) == 0);
        if (!looks_alike(original, copy_path(c), "new file"))
            break;
        copy_close(c);
    }
    copies_drop();
    run_remove_tree(original);
}
