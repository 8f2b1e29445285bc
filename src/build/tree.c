/* SPDX-License-Identifier: Apache-2.0
 *
 * tree: a program again, by the user's own command: for generated sources, odd link lines, and
 * whatever else only the project's build knows. It works at the tree's own paths where the
 * system gives it a world for that (at-home.c), else in a copy of the tree. */
#include "build/ways.h"

#include "base/io.h"
#include "run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What stands behind the directory in a path below it; NULL: it is not below it. */
static const char *below(const char *directory, const char *path)
{
    size_t len = strlen(directory);
    bool is_below = strncmp(path, directory, len) == 0 && path[len] == '/';
    return is_below ? path + len + 1 : NULL;
}

int build_resolve(char *out, const char *path, struct err *err)
{
    char real[PATH_MAX];
    AUTO(str) struct str parent = {0};
    if (realpath(path, out))
        return 0;
    size_t len = strlen(path);
    do {
        while (len > 0 && path[len - 1] != '/')
            len--;
        size_t rest = len;
        while (len > 1 && path[len - 1] == '/')
            len--;
        parent.len = 0;
        str_bytes(&parent, len > 0 ? path : ".", len > 0 ? len : 1);
        if (!realpath(parent.at, real))
            continue;
        if (snprintf(out, PATH_MAX, "%s/%s", real, path + rest) >= PATH_MAX)
            return err_set(err, "%.100s: path too long", path);
        return 0;
    } while (len > 1 && errno == ENOENT);
    return err_sys(err, "%s", path);
}

/* The path that a file of the tree has in its copy. */
static int path_in_copy(struct str *out, const char *tree, const char *copy, const char *path,
                        struct err *err)
{
    char full[PATH_MAX];
    if (build_resolve(full, path, err) < 0)
        return -1;
    const char *rest = below(tree, full);
    if (!rest)
        return err_set(err, "%s is not below %s, which is what is built", path, tree);
    out->len = 0;
    str_add(out, "%s/%s", copy, rest);
    return 0;
}

static int lay_over(const struct build_opts *o, const char *tree, const char *copy,
                    struct err *err)
{
    AUTO(str) struct str path = {0};
    for (uint32_t i = 0; i < o->overlay_count; i++) {
        const struct text text = o->overlay[i].text;
        if (path_in_copy(&path, tree, copy, o->overlay[i].path, err) < 0 ||
            file_write(path.at, text.at ? text.at : "", text.len, err) < 0)
            return -1;
    }
    return 0;
}

/* Is the program in the copy made of what was laid over there? 1: no. */
static int check_made(const char *made, const char *tree, const char *copy,
                      const struct build_opts *o, struct err *err)
{
    AUTO(str) struct str path = {0};
    for (uint32_t i = 0; i < o->overlay_count; i++) {
        if (path_in_copy(&path, tree, copy, o->overlay[i].path, err) < 0)
            return -1;
        int result = build_check_compiled(made, &o->overlay[i], path.at, err);
        if (result)
            return result;
    }
    return 0;
}

/* A build of before must not be taken for the new one. */
static int must_be_made(const char *program, struct err *err)
{
    if (unlink(program) < 0 && errno != ENOENT)
        return err_sys(err, "%s", program);
    return 0;
}

static int make(struct str *out, const char *tree, const char *copy, const char *program,
                const struct build_opts *o, struct err *err)
{
    AUTO(str) struct str made = {0}, log = {0};
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)o->command, NULL};
    if (path_in_copy(&made, tree, copy, program, err) < 0 || lay_over(o, tree, copy, err) < 0 ||
        must_be_made(made.at, err) < 0)
        return -1;
    str_add(&log, "%s/log", o->scratch);
    char full[PATH_MAX];
    if (build_resolve(full, log.at, err) < 0)
        return -1;
    if (build_run("sh", argv, copy, full, err) < 0)
        return err_in(err, "--build");
    if (access(made.at, X_OK) < 0)
        return err_set(err, "--build: '%s' did not make %s", o->command, program);
    int result = check_made(made.at, tree, copy, o, err);
    if (result == 0)
        str_add(out, "%s", made.at);
    return result;
}

static int rebuild_in_copy(struct str *out, const char *tree, const char *program,
                           const struct build_opts *opts, struct err *err)
{
    AUTO(str) struct str to = {0};
    str_add(&to, "%s/tree", opts->scratch);
    run_remove_tree(to.at);
    if (run_copy_tree(tree, to.at, err) < 0)
        return -1;
    char copy[PATH_MAX];
    if (!realpath(to.at, copy))
        return err_sys(err, "%s", to.at);
    return make(out, tree, copy, program, opts, err);
}

int rebuild_tree(struct str *out, const char *program, const struct build_opts *opts,
                 struct err *err)
{
    char tree[PATH_MAX];
    struct run_world *w = NULL;
    if (!realpath(opts->tree ? opts->tree : ".", tree))
        return err_sys(err, "%s", opts->tree);
    if (!run_worlds(NULL))
        return rebuild_in_copy(out, tree, program, opts, err);
    if (run_world_open(&w, tree, err) < 0)
        return -1;
    int result = rebuild_at_home(out, w, program, opts, err);
    run_world_close(w);
    return result;
}
