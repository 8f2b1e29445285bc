/* SPDX-License-Identifier: Apache-2.0
 *
 * rebuild: a program again, from the lines that it keeps. Every unit is compiled in its own
 * directory, with the changed files laid over the tree by clang's -ivfsoverlay: paths in debug
 * information, __FILE__ and the sites' names stay what they were. Then the links are done
 * again, of libraries before that of what needs them, with the new objects in place of the old
 * ones, in archives too. */
#include "build/ways.h"

#include "base/io.h"
#include "base/json.h"
#include "base/map.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    struct arena mem;
    const struct build_opts *opts;
    struct build_units kept;
    char scratch[PATH_MAX], self[PATH_MAX];
    const char *overlay, *log;
    VEC(const char *) objects; /* by unit: its new object; NULL: it comes with the link */
    build_words instead;       /* for the link at hand: pairs of old and new */
    const char **made;         /* by image: where the new one is; NULL: not made yet */
    bool *is_used;             /* by overlay: some unit read it */
};

static void auto_job(struct job *j)
{
    vec_done(&j->objects);
    vec_done(&j->instead);
    build_units_done(&j->kept);
    arena_done(&j->mem);
}

/* ---- the overlay ------------------------------------------------------------------------- */

static void add_entry(struct json *j, const char *name, const char *contents)
{
    json_open(j, '{');
    json_key(j, "type");
    json_text(j, TEXT("file"));
    json_put_text(j, "name", name);
    json_put_text(j, "external-contents", contents);
    json_close(j, '}');
}

static const char *absolute(struct job *j, const char *directory, const char *path)
{
    char cwd[PATH_MAX];
    if (path[0] == '/')
        return build_text(&j->mem, "%s", path);
    if (!directory)
        directory = getcwd(cwd, sizeof cwd) ? cwd : ".";
    return build_text(&j->mem, "%s/%s", directory, path);
}

static const char *real(struct job *j, const char *path)
{
    char found[PATH_MAX];
    return build_text(&j->mem, "%s", realpath(path, found) ? found : path);
}

/* Under every name by which a unit may ask for it. */
static void add_names(struct job *j, struct json *json, const char *path, const char *contents)
{
    const char *given = absolute(j, NULL, path), *resolved = real(j, given);
    add_entry(json, given, contents);
    if (strcmp(given, resolved) != 0)
        add_entry(json, resolved, contents);
    for (uint32_t i = 0; i < j->kept.units.len; i++) {
        const struct build_unit *u = &j->kept.units.at[i];
        const char *source = absolute(j, u->directory, u->source);
        if (strcmp(real(j, source), resolved) == 0 && strcmp(source, given) != 0 &&
            strcmp(source, resolved) != 0)
            add_entry(json, source, contents);
    }
}

static int write_overlay(struct job *j, struct err *err)
{
    AUTO(str) struct str text = {0};
    struct json json = {.out = &text};
    if (j->opts->overlay_count == 0)
        return 0;
    json_open(&json, '{');
    json_key(&json, "version");
    json_u64(&json, 0);
    json_key(&json, "use-external-names");
    json_bool(&json, false);
    json_key(&json, "roots");
    json_open(&json, '[');
    for (uint32_t i = 0; i < j->opts->overlay_count; i++) {
        const struct build_overlay *o = &j->opts->overlay[i];
        const char *contents = build_text(&j->mem, "%s/overlay-%u", j->scratch, i);
        if (file_write(contents, o->text.at ? o->text.at : "", o->text.len, err) < 0)
            return -1;
        add_names(j, &json, o->path, contents);
    }
    json_close(&json, ']');
    json_close(&json, '}');
    j->overlay = build_text(&j->mem, "%s/overlay.yaml", j->scratch);
    return file_write(j->overlay, text.at, text.len, err);
}

/* ---- what was read ----------------------------------------------------------------------- */

/* Names in a dependency file are separated by white space; a backslash keeps what follows. */
static void mark_used(struct job *j, const struct build_unit *u, const struct bytes *list)
{
    const char *at = (const char *)list->at, *end = at + list->len;
    AUTO(str) struct str name = {0};
    for (; at <= end; at++) {
        bool is_kept = at + 1 < end && *at == '\\' && at[1] != '\n';
        if (is_kept) {
            str_char(&name, *++at);
        } else if (at < end && *at > ' ' && *at != '\\') {
            str_char(&name, *at);
        } else if (name.len > 0) {
            const char *path = real(j, absolute(j, u->directory, name.at));
            for (uint32_t i = 0; i < j->opts->overlay_count; i++)
                j->is_used[i] |=
                    strcmp(real(j, absolute(j, NULL, j->opts->overlay[i].path)), path) == 0;
            name.len = 0;
        }
    }
}

static void note_read(struct job *j, const struct build_unit *u, const char *output)
{
    struct err ignored;
    build_words words = {0};
    build_line(&j->mem, &words, u);
    for (uint32_t i = 0; i < words.len; i++) {
        AUTO(bytes) struct bytes list = {0};
        const char *path = build_text(&j->mem, "%s.%u.d", output, i);
        if (access(path, R_OK) == 0 && bytes_read(&list, path, &ignored) == 0)
            mark_used(j, u, &list);
    }
    vec_done(&words);
}

static int check_used(struct job *j, const char *program, struct err *err)
{
    for (uint32_t i = 0; i < j->opts->overlay_count; i++)
        if (!j->is_used[i])
            return err_set(err,
                           "%s: no source of %s reads it; say how to build with --build CMD",
                           j->opts->overlay[i].path, program);
    return 0;
}

/* ---- compiling and linking --------------------------------------------------------------- */

static int compile(struct job *j, const struct build_unit *u, const char *only,
                   const char *output, struct err *err)
{
    build_words words = {0};
    vec_push(&words, "heddle");
    vec_push(&words, strncmp(u->command, "c++\n", 4) == 0 ? "c++" : "cc");
    vec_push(&words, build_text(&j->mem, "--heddle-output=%s", output));
    if (only)
        vec_push(&words, build_text(&j->mem, "--heddle-only=%s", only));
    if (j->overlay)
        vec_push(&words, build_text(&j->mem, "--heddle-overlay=%s", j->overlay));
    for (uint32_t i = 0; i < j->instead.len; i++)
        vec_push(&words, build_text(&j->mem, "--heddle-instead=%s", j->instead.at[i]));
    if (!only && j->kept.images.len > 1) /* the new libraries, whatever the environment says */
        vec_push(&words, build_text(&j->mem, "-Wl,--disable-new-dtags,-rpath,%s", j->scratch));
    build_line(&j->mem, &words, u);
    vec_push(&words, NULL);
    int result = build_run(j->self, words.at, u->directory, j->log, err);
    vec_done(&words);
    return result;
}

static const struct build_unit *link_of(const struct job *j, uint32_t unit)
{
    const struct build_image *at = j->kept.images.at;
    while (unit >= at->first + at->count)
        at++;
    return &at->link;
}

/* Compiled by the very line that links? */
static bool comes_with_link(const struct job *j, uint32_t unit)
{
    const struct build_unit *u = &j->kept.units.at[unit], *l = link_of(j, unit);
    return l->directory && strcmp(u->command, l->command) == 0 &&
           strcmp(u->directory, l->directory) == 0;
}

static int compile_units(struct job *j, struct err *err)
{
    for (uint32_t i = 0; i < j->kept.units.len; i++) {
        const struct build_unit *u = &j->kept.units.at[i];
        const char *output = build_text(&j->mem, "%s/%u.o", j->scratch, i);
        if (comes_with_link(j, i))
            output = NULL;
        else if (compile(j, u, u->source, output, err) < 0)
            return -1;
        else
            note_read(j, u, output);
        vec_push(&j->objects, output);
    }
    return 0;
}

/* The object that a unit's line made: of -o, or named after the source. */
static const char *old_object(struct job *j, const struct build_unit *u)
{
    build_words words = {0};
    const char *found = NULL;
    build_line(&j->mem, &words, u);
    for (uint32_t i = 0; i < words.len; i++) {
        if (strcmp(words.at[i], "-o") == 0 && i + 1 < words.len)
            found = words.at[i + 1];
        else if (strncmp(words.at[i], "-o", 2) == 0 && words.at[i][2])
            found = words.at[i] + 2;
    }
    vec_done(&words);
    if (!found) {
        const char *base = base_name(u->source), *dot = strrchr(base, '.');
        found =
            build_text(&j->mem, "%.*s.o", (int)(dot ? dot - base : (long)strlen(base)), base);
    }
    return real(j, absolute(j, u->directory, found));
}

/* What `ar` says of an archive, or of a member of it. */
static bool ask_archive(struct job *j, struct bytes *out, const char *what, const char *archive,
                        const char *member)
{
    struct err ignored;
    char *argv[] = {"ar", (char *)what, (char *)archive, (char *)member, NULL};
    return build_run("ar", argv, "/", j->log, &ignored) == 0 &&
           bytes_read(out, j->log, &ignored) == 0;
}

/* Is there a member of that name? */
static bool archive_has(struct job *j, const char *archive, const char *member)
{
    AUTO(bytes) struct bytes list = {0};
    if (!ask_archive(j, &list, "t", archive, NULL))
        return false;
    const char *at = (const char *)list.at, *end = at + list.len;
    size_t len = strlen(member);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t line = (size_t)((stop ? stop : end) - at);
        if (line == len && memcmp(at, member, len) == 0)
            return true;
        at = stop ? stop + 1 : end;
    }
    return false;
}

/* Is this object the member of that name, byte by byte? */
static bool archive_keeps(struct job *j, const char *archive, const char *object)
{
    struct err ignored;
    AUTO(bytes) struct bytes member = {0}, alone = {0};
    return ask_archive(j, &member, "p", archive, base_name(object)) &&
           bytes_read(&alone, object, &ignored) == 0 && member.len == alone.len &&
           memcmp(member.at, alone.at, alone.len) == 0;
}

/* The word of the line by which it names the archive that the object went into: of several
 * that have a member of its name the one where it is the same, if the object is still there. */
static char *archive_word(struct job *j, const struct build_image *image,
                          const build_words *line, const char *object)
{
    char *found = NULL;
    for (uint32_t i = 0; i < line->len; i++) {
        const char *archive = build_archive(&j->mem, &image->link, line, line->at[i]);
        if (!archive || !archive_has(j, archive, base_name(object)))
            continue;
        if (archive_keeps(j, archive, object))
            return line->at[i];
        if (!found)
            found = line->at[i];
    }
    return found;
}

static const char *instead_of(const struct job *j, const char *word)
{
    for (uint32_t i = 0; i + 1 < j->instead.len; i += 2)
        if (strcmp(j->instead.at[i], word) == 0)
            return j->instead.at[i + 1];
    return NULL;
}

static void link_instead(struct job *j, char *word, const char *by)
{
    vec_push(&j->instead, word);
    vec_push(&j->instead, build_text(&j->mem, "%s", by));
}

/* The object takes the place of its namesake in a copy of the archive. */
static int put_in_archive(struct job *j, const char *path, char *word, const char *object,
                          const char *member, struct err *err)
{
    const char *copy = instead_of(j, word);
    if (!copy) {
        AUTO(bytes) struct bytes all = {0};
        copy = build_text(&j->mem, "%s/%u-%s", j->scratch, j->instead.len, base_name(path));
        if (bytes_read(&all, path, err) < 0 || file_write(copy, all.at, all.len, err) < 0)
            return -1;
        link_instead(j, word, copy);
    }
    char *named = build_text(&j->mem, "%s/%s", j->scratch, member);
    if (rename(object, named) < 0)
        return err_sys(err, "%s", object);
    char *argv[] = {"ar", "r", build_text(&j->mem, "%s", copy), named, NULL};
    return build_run("ar", argv, "/", j->log, err);
}

static int place_object(struct job *j, const struct build_image *image, const build_words *line,
                        uint32_t unit, struct err *err)
{
    const struct build_unit *u = &j->kept.units.at[unit];
    const char *old = old_object(j, u), *directory = image->link.directory;
    for (uint32_t i = 0; i < line->len; i++) {
        char *word = line->at[i];
        if (word[0] != '-' && strcmp(real(j, absolute(j, directory, word)), old) == 0) {
            link_instead(j, word, j->objects.at[unit]);
            return 0;
        }
    }
    char *word = archive_word(j, image, line, old);
    if (word)
        return put_in_archive(j, build_archive(&j->mem, &image->link, line, word), word,
                              j->objects.at[unit], base_name(old), err);
    return err_set(err,
                   "%s: the link of %s does not name its object; say how to build with "
                   "--build CMD",
                   u->source, image->path);
}

/* ---- libraries --------------------------------------------------------------------------- */

/* The names by which a program may look for the new library, in the directory of all. */
static void add_sonames(struct job *j, const build_words *line, const char *made)
{
    for (uint32_t i = 0; i < line->len; i++) {
        const char *name = strncmp(line->at[i], "-Wl,-soname", 11) == 0 ? line->at[i] + 12
                           : strncmp(line->at[i], "-Wl,-h,", 7) == 0    ? line->at[i] + 7
                                                                        : NULL;
        if (name && strcmp(name, base_name(made)) != 0) {
            const char *link =
                build_text(&j->mem, "%s/%.*s", j->scratch, (int)strcspn(name, ","), name);
            unlink(link);
            if (symlink(base_name(made), link) < 0)
                continue; /* the loader will say what it misses */
        }
    }
}

static int link_image(struct job *j, uint32_t at, struct err *err);

/* Makes what the link needs, and says what takes whose place in it. */
static int prepare_link(struct job *j, const struct build_image *image, const build_words *line,
                        struct err *err)
{
    uint32_t count = j->kept.images.len;
    for (uint32_t i = 0; count > 1 && i < line->len; i++) {
        uint32_t library = build_named(&j->kept, &image->link, line, line->at[i]);
        if (library != NONE && !j->made[library] && link_image(j, library, err) < 0)
            return -1;
    }
    j->instead.len = 0;
    for (uint32_t i = 0; count > 1 && i < line->len; i++) {
        uint32_t library = build_named(&j->kept, &image->link, line, line->at[i]);
        if (library != NONE)
            link_instead(j, line->at[i], j->made[library]);
    }
    for (uint32_t i = image->first; i < image->first + image->count; i++)
        if (j->objects.at[i] && place_object(j, image, line, i, err) < 0)
            return -1;
    return 0;
}

static int link_image(struct job *j, uint32_t at, struct err *err)
{
    const struct build_image *image = &j->kept.images.at[at];
    build_words line = {0};
    if (!image->link.directory)
        return err_set(err,
                       "%s does not say how it was linked; say how to build with "
                       "--build CMD",
                       image->path);
    const char *output = build_text(&j->mem, "%s/%s", j->scratch, base_name(image->path));
    j->made[at] = output; /* libraries that need each other end here */
    build_line(&j->mem, &line, &image->link);
    int result = prepare_link(j, image, &line, err);
    if (result == 0)
        result = compile(j, &image->link, NULL, output, err);
    if (result == 0) {
        note_read(j, &image->link, output);
        add_sonames(j, &line, output);
    }
    vec_done(&line);
    return result;
}

static int prepare(struct job *j, const char *program, struct err *err)
{
    const char *heddle = j->opts->heddle ? j->opts->heddle : "/proc/self/exe";
    if (!realpath(heddle, j->self))
        return err_sys(err, "%s", heddle);
    if (!realpath(j->opts->scratch, j->scratch))
        return err_sys(err, "%s", j->opts->scratch);
    if (build_units_read(&j->kept, program, err) < 0)
        return -1;
    j->log = build_text(&j->mem, "%s/log", j->scratch);
    j->made = ARENA_NEW(&j->mem, const char *, j->kept.images.len);
    j->is_used = ARENA_NEW(&j->mem, bool, j->opts->overlay_count);
    return write_overlay(j, err);
}

int rebuild_kept(struct str *out, const char *program, const struct build_opts *opts,
                 struct err *err)
{
    AUTO(job) struct job j = {.opts = opts};
    if (prepare(&j, program, err) < 0 || compile_units(&j, err) < 0 ||
        link_image(&j, 0, err) < 0 || check_used(&j, program, err) < 0)
        return -1;
    str_add(out, "%s", j.made[0]);
    return 0;
}
