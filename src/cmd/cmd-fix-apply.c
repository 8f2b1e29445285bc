/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-apply: asks which patch, and writes it. */
#include "cmd/fix-told.h"

#include "base/io.h"
#include "cmd/cmd.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int fix_choose(const struct fix_told *t, uint32_t *out, struct err *err)
{
    const struct fix_repair *r = t->repair;
    char line[64];
    for (uint32_t i = 0; i < r->candidates.len; i++) {
        const struct fix_candidate *c = &r->candidates.at[i];
        if (c->state < FIX_PARTIAL)
            continue;
        AUTO(str) struct str text = {0};
        str_add(&text, "%u  %s, %s, %u lines: %s\n", i + 1, c->recipe, fix_state_text(c->state),
                c->lines, c->trade);
        if (cmd_print(&text) != EXIT_GOOD)
            return err_set(err, "the terminal is gone");
    }
    fputs("which one shall be written (0: none)? ", stderr);
    uint64_t number;
    if (!fgets(line, sizeof line, stdin))
        return err_set(err, "fix: no answer");
    if (!text_number((struct text){line, (uint32_t)strcspn(line, "\r\n")}, &number) ||
        number > r->candidates.len ||
        (number && r->candidates.at[number - 1].state < FIX_PARTIAL))
        return err_set(err, "fix: '%.*s' is none of them", (int)strcspn(line, "\r\n"), line);
    *out = number ? (uint32_t)number - 1 : NONE;
    return 0;
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

static int write_one(const struct fix_candidate *c, const char *path, struct err *err)
{
    AUTO(bytes) struct bytes old = {0};
    AUTO(str) struct str text = {0};
    AUTO(str) struct str backup = {0};
    if (bytes_read(&old, path, err) < 0 ||
        patch_apply(&c->patch, path, (struct text){(const char *)old.at, (uint32_t)old.len},
                    &text, err) < 0)
        return -1;
    str_add(&backup, "%s.orig", path);
    if (file_write(backup.at, old.at, old.len, err) < 0 ||
        file_write(path, text.at ? text.at : "", text.len, err) < 0)
        return -1;
    cmd_note("fix: wrote %s (what it was: %s)", path, backup.at);
    return 0;
}

int fix_apply(const struct fix_candidate *c, bool is_forced, struct err *err)
{
    patch_files files = {0};
    int failed = 0;
    patch_list(&c->patch, &files);
    for (uint32_t i = 0; i < files.len && !failed && !is_forced; i++)
        if (is_dirty(files.at[i]))
            failed = err_set(err,
                             "fix: %s has changes that are not committed; commit them, or say "
                             "--force",
                             files.at[i]);
    for (uint32_t i = 0; i < files.len && !failed; i++)
        failed = write_one(c, files.at[i], err);
    vec_done(&files);
    return failed;
}
