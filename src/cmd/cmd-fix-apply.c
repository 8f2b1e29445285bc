/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-apply: asks which patch, and writes it. */
#include "cmd/fix-finding.h"

#include "base/io.h"
#include "cmd/cmd.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- choosing --------------------------------------------------------------------------- */

/* The number-th patch of those that were tried and are of use; NONE: there are fewer. */
static uint32_t offered(const struct fix_repair *r, uint64_t number)
{
    for (uint32_t i = 0; number > 0 && i < r->candidates.len; i++)
        if (r->candidates.at[i].state >= FIX_PARTIAL && --number == 0)
            return i;
    return NONE;
}

static int offer(const struct fix_repair *r, struct err *err)
{
    AUTO(str) struct str text = {0};
    for (uint32_t n = 1; offered(r, n) != NONE; n++) {
        const struct fix_candidate *c = &r->candidates.at[offered(r, n)];
        str_add(&text, "%3u  %s, %s, %u line%s, %u new lock%s: %s\n", n, c->recipe,
                fix_state_text(c->state), c->lines, c->lines == 1 ? "" : "s", c->locks,
                c->locks == 1 ? "" : "s", c->trade);
    }
    return cmd_print(&text) == EXIT_GOOD ? 0 : err_set(err, "fix: the terminal is gone");
}

static int show(const struct fix_candidate *c, struct err *err)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "\n%.*s\n", (int)c->diff.len, c->diff.at ? c->diff.at : "");
    return cmd_print(&text) == EXIT_GOOD ? 0 : err_set(err, "fix: the terminal is gone");
}

int fix_choose(const struct fix_finding *t, uint32_t *out, struct err *err)
{
    const struct fix_repair *r = t->repair;
    char line[64];
    uint64_t number;
    *out = NONE;
    if (r->best == NONE) /* there is nothing to ask about */
        return 0;
    if (offer(r, err) < 0)
        return -1;
    for (;;) {
        fputs("which one shall be written (d NUMBER: show it, 0: none)? ", stderr);
        if (!fgets(line, sizeof line, stdin))
            return err_set(err, "fix: no answer; nothing was written");
        bool is_look = line[0] == 'd' || line[0] == 'D';
        const char *word = line + is_look + strspn(line + is_look, " \t");
        struct text answer = {word, (uint32_t)strcspn(word, " \t\r\n")};
        bool is_number = text_number(answer, &number);
        if (is_number && number == 0 && !is_look)
            return 0;
        uint32_t which = is_number ? offered(r, number) : NONE;
        if (which == NONE) {
            cmd_note("fix: '%.*s' is none of them", TEXT_ARG(answer));
        } else if (!is_look) {
            *out = which;
            return 0;
        } else if (show(&r->candidates.at[which], err) < 0) {
            return -1;
        }
    }
}

/* What git says of the file, as an exit code; -1 if there is no git. */
static int ask_git(const char *directory, const char *const *question, const char *file)
{
    extern char **environ;
    const char *words[16] = {"git", "-C", directory};
    uint32_t count = 3;
    while (*question)
        words[count++] = *question++;
    words[count++] = file;
    union {
        const char **in;
        char **out;
    } argv = {words};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, "git", &actions, NULL, argv.out, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* Does git know of changes in it? A file that it does not follow has none. */
static bool is_dirty(const char *path)
{
    AUTO(str) struct str directory = {0};
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    str_add(&directory, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    return ask_git(directory.at,
                   (const char *const[]){"ls-files", "--error-unmatch", "--", NULL},
                   file) == 0 &&
           ask_git(directory.at, (const char *const[]){"diff", "--quiet", "HEAD", "--", NULL},
                   file) == 1;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* A file, as it is and as it will be. */
struct rewrite {
    const char *path;
    struct bytes old; /* owned */
    struct str text;  /* owned */
};

/* Not there yet: what somebody has kept stays. */
static void backup_name(struct str *out, const char *path)
{
    for (uint32_t try = 1;; try++) {
        out->len = 0;
        str_add(out, "%s.orig", path);
        if (try > 1)
            str_add(out, ".%u", try);
        if (access(out->at, F_OK) < 0)
            return;
    }
}

static int write_one(const struct rewrite *w, struct err *err)
{
    AUTO(str) struct str backup = {0};
    backup_name(&backup, w->path);
    if (file_write(backup.at, w->old.at, w->old.len, err) < 0 ||
        file_write(w->path, w->text.at ? w->text.at : "", w->text.len, err) < 0)
        return -1;
    cmd_note("fix: wrote %s (what it was: %s)", w->path, backup.at);
    return 0;
}

/* May it be written? */
static int check_file(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return err_sys(err, "%s", path);
    if (!(st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)))
        return err_set(err, "fix: %s is write-protected; lift that, or say --force", path);
    if (is_dirty(path))
        return err_set(err,
                       "fix: %s has changes that are not committed; commit them, or say "
                       "--force",
                       path);
    return 0;
}

/* What the files become, by the patch that was shown: who has edited one meanwhile would get
 * it at the wrong places. */
static int read_files(const struct fix_candidate *c, struct rewrite *list, uint32_t count,
                      struct err *err)
{
    AUTO(str) struct str diff = {0};
    size_t root = strlen(c->root);
    for (uint32_t i = 0; i < count; i++) {
        struct rewrite *w = &list[i];
        if (bytes_read(&w->old, w->path, err) < 0)
            return -1;
        struct text old = {(const char *)w->old.at, (uint32_t)w->old.len};
        if (patch_apply(&c->patch, w->path, old, &w->text, err) < 0)
            return -1;
        diff_print(&diff, w->path + root + (root > 0), old,
                   (struct text){w->text.at ? w->text.at : "", (uint32_t)w->text.len});
    }
    if (diff.len != c->diff.len || memcmp(diff.at, c->diff.at, diff.len) != 0)
        return err_set(err, "fix: the source has changed since the patch was made; nothing was "
                            "written");
    return 0;
}

int fix_apply(const struct fix_candidate *c, bool is_forced, struct err *err)
{
    patch_files files = {0};
    int failed = 0;
    patch_list(&c->patch, &files);
    struct rewrite *list = mem_zeroed(files.len + 1, sizeof *list);
    for (uint32_t i = 0; i < files.len && !failed; i++) {
        list[i].path = files.at[i];
        failed = is_forced ? 0 : check_file(files.at[i], err);
    }
    failed = failed ? failed : read_files(c, list, files.len, err);
    for (uint32_t i = 0; i < files.len && !failed; i++)
        failed = write_one(&list[i], err);
    for (uint32_t i = 0; i < files.len; i++) {
        bytes_done(&list[i].old);
        str_done(&list[i].text);
    }
    free(list);
    vec_done(&files);
    return failed;
}
