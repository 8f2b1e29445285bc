/* SPDX-License-Identifier: Apache-2.0
 *
 * verify-input: every way ends in two executables and the texts of the files that differ. A
 * patch and a revision are overlays over the tree that is here: the one side is built with the
 * files as they are, the other with other contents. */
#include "cmd/verify-input.h"

#include "base/io.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef VEC(struct build_overlay) overlay_list;

static bool is_directory(const char *path)
{
    struct stat st;
    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool verify_input_is_tree(const struct verify_input_opts *o)
{
    return o->patch || o->git || is_directory(o->before) || is_directory(o->after);
}

/* The whole text of a file; a file that is not there has none. */
static int read_text(struct verify_input *in, const char *path, struct text *out,
                     struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    *out = (struct text){"", 0};
    if (access(path, F_OK) < 0)
        return 0;
    if (bytes_read(&b, path, err) < 0)
        return -1;
    out->at = arena_text(&in->mem, (const char *)b.at, b.len);
    out->len = (uint32_t)b.len;
    return 0;
}

/* Below the current directory a path from here on is shorter, and true on other machines. */
static const char *from_here(struct verify_input *in, const char *path)
{
    char here[PATH_MAX];
    size_t len = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (len > 0 && strncmp(path, here, len) == 0 && path[len] == '/')
        path += len + 1;
    AUTO(str) struct str text = {0};
    str_add(&text, "%s", path);
    return str_keep(&in->mem, &text);
}

/* ---- executables and sources ------------------------------------------------------------- */

/* One side that is a source or an executable. */
static int make_side(struct verify_input *in, const struct verify_input_opts *o,
                     const char *path, const char *side, const char **out, struct err *err)
{
    AUTO(str) struct str program = {0};
    if (!build_is_source(path)) {
        str_add(&program, "%s", path);
        *out = str_keep(&in->mem, &program);
        return 0;
    }
    str_add(&program, "%s/%s", o->scratch, side);
    if (directory_make(program.at, err) < 0)
        return -1;
    const char *base = base_name(path);
    str_add(&program, "/%.*s", (int)(strrchr(base, '.') - base), base);
    char *sources[] = {(char *)(uintptr_t)path};
    if (build_sources(sources, 1, program.at, err) < 0)
        return err_in(err, "%s", path);
    *out = str_keep(&in->mem, &program);
    return 0;
}

static int add_change(struct verify_input *in, const char *before, const char *after,
                      struct err *err)
{
    struct verify_change c = {.file = after, .old_file = before};
    if (read_text(in, before, &c.before, err) < 0 || read_text(in, after, &c.after, err) < 0)
        return -1;
    if (!text_is(c.before, c.after) || strcmp(base_name(before), base_name(after)) != 0)
        vec_push(&in->changes, c);
    return 0;
}

/* Units that are called the same are versions of each other; a program of one source has only
 * that. */
static int pair_units(struct verify_input *in, struct err *err)
{
    AUTO(build_units) struct build_units before = {0}, after = {0};
    struct err ignored;
    if (build_units_read(&before, in->before, &ignored) < 0 ||
        build_units_read(&after, in->after, &ignored) < 0)
        return 0;
    bool is_one = before.units.len == 1 && after.units.len == 1;
    for (uint32_t i = 0; i < after.units.len; i++) {
        for (uint32_t k = 0; k < before.units.len; k++) {
            AUTO(str) struct str a = {0}, b = {0};
            build_unit_path(&a, &after.units.at[i]);
            build_unit_path(&b, &before.units.at[k]);
            if (!is_one && strcmp(base_name(a.at), base_name(b.at)) != 0)
                continue;
            if (add_change(in, str_keep(&in->mem, &b), str_keep(&in->mem, &a), err) < 0)
                return -1;
            break;
        }
    }
    return 0;
}

static int open_programs(struct verify_input *in, const struct verify_input_opts *o,
                         struct err *err)
{
    if (make_side(in, o, o->before, "before", &in->before, err) < 0 ||
        make_side(in, o, o->after, "after", &in->after, err) < 0)
        return -1;
    return pair_units(in, err);
}

/* ---- directories ------------------------------------------------------------------------- */

static int make_tree(struct verify_input *in, const struct verify_input_opts *o,
                     const char *tree, const char *side, const char **out, struct err *err)
{
    AUTO(str) struct str scratch = {0}, program = {0}, made = {0};
    str_add(&scratch, "%s/%s", o->scratch, side);
    str_add(&program, "%s/%s", tree, o->program);
    if (directory_make(scratch.at, err) < 0)
        return -1;
    struct build_opts build = {.scratch = scratch.at, .command = o->build, .tree = tree};
    if (build_program(&made, program.at, &build, err) != 0)
        return err_in(err, "%s", tree);
    *out = from_here(in, made.at);
    return 0;
}

static int open_directories(struct verify_input *in, const struct verify_input_opts *o,
                            struct err *err)
{
    if (!o->build)
        return err_set(err, "say how to build %s with --build CMD", o->before);
    if (!is_directory(o->before) || !is_directory(o->after))
        return err_set(err, "--before and --after must both be directories, or neither");
    if (make_tree(in, o, o->before, "before", &in->before, err) < 0 ||
        make_tree(in, o, o->after, "after", &in->after, err) < 0)
        return -1;
    return pair_units(in, err);
}

/* ---- overlays: a patch, a revision ------------------------------------------------------- */

/* The program with these files, or as it is. */
static int make_overlaid(struct verify_input *in, const struct verify_input_opts *o,
                         const overlay_list *overlay, const char *side, const char **out,
                         struct err *err)
{
    AUTO(str) struct str scratch = {0}, made = {0};
    str_add(&scratch, "%s/%s", o->scratch, side);
    if (directory_make(scratch.at, err) < 0)
        return -1;
    struct build_opts build = {.scratch = scratch.at,
                               .command = o->build,
                               .overlay = overlay->at,
                               .overlay_count = overlay->len};
    if (build_program(&made, o->program, &build, err) != 0)
        return err_in(err, "%s", side);
    *out = from_here(in, made.at);
    return 0;
}

/* Other contents of a file of the tree: now is what is there, other what was or will be. */
static void lay_over(struct verify_input *in, overlay_list *overlay, const char *path,
                     struct text now, struct text other, bool other_is_after)
{
    struct verify_change c = {.file = path,
                              .old_file = path,
                              .before = other_is_after ? now : other,
                              .after = other_is_after ? other : now};
    if (text_is(now, other))
        return;
    vec_push(overlay, (struct build_overlay){path, other});
    vec_push(&in->changes, c);
}

/* sh -c, which must succeed; what it prints goes to a file, what it says to log. */
static int shell(const char *command, const char *what, struct err *err)
{
    FILE *f = popen(command, "r"); /* NOLINT: words are quoted by the caller */
    char line[400] = "";
    bool has_line = f && fgets(line, sizeof line, f);
    while (f && !feof(f) && fgetc(f) != EOF)
        ;
    if (f && pclose(f) == 0)
        return 0;
    line[strcspn(line, "\n")] = 0;
    return err_set(err, "%s: %s", what, has_line ? line : "failed");
}

static int make_parents(const char *path, struct err *err)
{
    AUTO(str) struct str part = {0};
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        part.len = 0;
        str_bytes(&part, path, (size_t)(slash - path));
        if (directory_make(part.at, err) < 0)
            return -1;
    }
    return 0;
}

typedef VEC(const char *) name_list;

/* The files that a diff is about, as patch -pN would name them. */
static void list_files(struct verify_input *in, name_list *out, struct text diff,
                       uint32_t strip)
{
    for (uint32_t at = 0; at < diff.len;) {
        const char *nl = memchr(diff.at + at, '\n', diff.len - at);
        uint32_t end = nl ? (uint32_t)(nl - diff.at) : diff.len;
        if (end - at > 4 && memcmp(diff.at + at, "+++ ", 4) == 0) {
            const char *from = diff.at + at + 4, *stop = diff.at + end;
            const char *tab = memchr(from, '\t', (size_t)(stop - from));
            stop = tab ? tab : stop;
            for (uint32_t i = 0; i < strip; i++) {
                const char *slash = memchr(from, '/', (size_t)(stop - from));
                from = slash ? slash + 1 : from;
            }
            vec_push(out, arena_text(&in->mem, from, (size_t)(stop - from)));
        }
        at = end + 1;
    }
}

/* Applies it to copies of the files below a directory of ours. */
static int apply_patch(struct verify_input *in, const struct verify_input_opts *o,
                       overlay_list *overlay, struct err *err)
{
    AUTO(str) struct str work = {0}, command = {0}, path = {0};
    name_list files = {0};
    struct text diff;
    if (access(o->patch, R_OK) < 0)
        return err_sys(err, "%s", o->patch);
    if (read_text(in, o->patch, &diff, err) < 0)
        return -1;
    uint32_t strip = 1;
    list_files(in, &files, diff, strip);
    if (files.len > 0 && access(files.at[0], F_OK) < 0) {
        files.len = 0;
        strip = 0;
        list_files(in, &files, diff, strip);
    }
    if (files.len == 0) {
        vec_done(&files);
        return err_set(err, "%s: no unified diff", o->patch);
    }
    str_add(&work, "%s/patched", o->scratch);
    int result = directory_make(work.at, err);
    for (uint32_t i = 0; result == 0 && i < files.len; i++) {
        struct text now;
        path.len = 0;
        str_add(&path, "%s/%s", work.at, files.at[i]);
        result = read_text(in, files.at[i], &now, err);
        if (result == 0)
            result = make_parents(path.at, err);
        if (result == 0)
            result = file_write(path.at, now.at, now.len, err);
    }
    str_add(&command, "patch -s -f -p%u -d ", strip);
    str_shell(&command, work.at);
    str_add(&command, " <");
    str_shell(&command, o->patch);
    str_add(&command, " 2>&1");
    if (result == 0)
        result = shell(command.at, o->patch, err);
    for (uint32_t i = 0; result == 0 && i < files.len; i++) {
        struct text now, other;
        path.len = 0;
        str_add(&path, "%s/%s", work.at, files.at[i]);
        result = read_text(in, files.at[i], &now, err);
        if (result == 0)
            result = read_text(in, path.at, &other, err);
        if (result == 0)
            lay_over(in, overlay, files.at[i], now, other, true);
    }
    vec_done(&files);
    return result;
}

static int open_patch(struct verify_input *in, const struct verify_input_opts *o,
                      struct err *err)
{
    overlay_list overlay = {0}, none = {0};
    int result = apply_patch(in, o, &overlay, err);
    if (result == 0)
        result = make_overlaid(in, o, &none, "before", &in->before, err);
    if (result == 0)
        result = make_overlaid(in, o, &overlay, "after", &in->after, err);
    vec_done(&overlay);
    return result;
}

/* The files that are different from the revision, and their contents then. */
static int read_revision(struct verify_input *in, const struct verify_input_opts *o,
                         overlay_list *overlay, struct err *err)
{
    AUTO(str) struct str list = {0}, command = {0};
    struct text names;
    str_add(&list, "%s/changed", o->scratch);
    str_add(&command, "git diff --name-only --relative --no-renames ");
    str_shell(&command, o->git);
    str_add(&command, " 2>&1 >");
    str_shell(&command, list.at);
    if (shell(command.at, "git", err) < 0 || read_text(in, list.at, &names, err) < 0)
        return -1;
    for (uint32_t at = 0; at < names.len;) {
        const char *nl = memchr(names.at + at, '\n', names.len - at);
        uint32_t end = nl ? (uint32_t)(nl - names.at) : names.len;
        const char *path = arena_text(&in->mem, names.at + at, end - at);
        AUTO(str) struct str old = {0}, object = {0};
        struct text now, other;
        str_add(&old, "%s/revision", o->scratch);
        str_add(&object, "%s:./%s", o->git, path);
        command.len = 0;
        str_add(&command, "git show ");
        str_shell(&command, object.at);
        str_add(&command, " 2>/dev/null >");
        str_shell(&command, old.at);
        struct err ignored;
        bool was_there = shell(command.at, "git", &ignored) == 0;
        if (was_there &&
            (read_text(in, old.at, &other, err) < 0 || read_text(in, path, &now, err) < 0))
            return -1;
        if (was_there && (o->build || build_is_source(path) || strstr(path, ".h")))
            lay_over(in, overlay, path, now, other, false);
        at = end + 1;
    }
    return 0;
}

static int open_revision(struct verify_input *in, const struct verify_input_opts *o,
                         struct err *err)
{
    overlay_list overlay = {0}, none = {0};
    int result = read_revision(in, o, &overlay, err);
    if (result == 0 && overlay.len == 0)
        result = err_set(err, "nothing that is compiled has changed since %s", o->git);
    if (result == 0)
        result = make_overlaid(in, o, &overlay, "before", &in->before, err);
    if (result == 0)
        result = make_overlaid(in, o, &none, "after", &in->after, err);
    vec_done(&overlay);
    return result;
}

int verify_input_open(struct verify_input *out, const struct verify_input_opts *o,
                      struct err *err)
{
    struct verify_input in = {0};
    int result = o->patch                  ? open_patch(&in, o, err)
                 : o->git                  ? open_revision(&in, o, err)
                 : verify_input_is_tree(o) ? open_directories(&in, o, err)
                                           : open_programs(&in, o, err);
    if (result < 0) {
        verify_input_close(&in);
        return -1;
    }
    *out = in;
    return 0;
}

void verify_input_close(struct verify_input *in)
{
    vec_done(&in->changes);
    arena_done(&in->mem);
}
