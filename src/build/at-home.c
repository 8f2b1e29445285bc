/* SPDX-License-Identifier: Apache-2.0
 *
 * at-home: a program again, by the user's own command, at the paths that it has, in a world in
 * which nobody else sees the change (run/). Build directories that name the tree from the root,
 * as those of CMake and Meson do, compile what was laid over it there, and nothing else. What
 * is made is copied out: the world is gone then. */
#include "build/ways.h"

#include "base/io.h"
#include "run/run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CODE_NOT_MADE = 77 };

/* As one word of a shell's. */
static void add_quoted(struct str *out, const char *text)
{
    str_char(out, '\'');
    for (; *text; text++)
        if (*text == '\'')
            str_add(out, "'\\''");
        else
            str_char(out, *text);
    str_char(out, '\'');
}

static void add_step(struct str *out, const char *what, const char *first, const char *second)
{
    str_add(out, "%s ", what);
    add_quoted(out, first);
    if (second) {
        str_char(out, ' ');
        add_quoted(out, second);
    }
    str_char(out, '\n');
}

/* The files are laid over, a build of before must not be taken for the new one, then the user's
 * command; what it says goes to the log. */
static int write_script(struct str *script, const char *scratch, const char *program,
                        const char *made, const struct build_opts *o, struct err *err)
{
    AUTO(str) struct str text = {0}, path = {0}, directory = {0};
    char full[PATH_MAX];
    str_add(&text, "set -e\n");
    for (uint32_t i = 0; i < o->overlay_count; i++) {
        const struct text contents = o->overlay[i].text;
        path.len = directory.len = 0;
        str_add(&path, "%s/overlay-%u", scratch, i);
        if (build_resolve(full, o->overlay[i].path, err) < 0 ||
            file_write(path.at, contents.at ? contents.at : "", contents.len, err) < 0)
            return -1;
        str_bytes(&directory, full, (size_t)(strrchr(full, '/') + 1 - full));
        add_step(&text, "mkdir -p --", directory.at, NULL);
        add_step(&text, "cp --", path.at, full);
    }
    add_step(&text, "rm -f --", program, NULL);
    add_step(&text, "sh -c", o->command, NULL);
    str_add(&text, "[ -x ");
    add_quoted(&text, program);
    str_add(&text, " ] || exit %d\n", CODE_NOT_MADE);
    add_step(&text, "cp --", program, made);
    str_add(script, "%s/build.sh", scratch);
    return file_write(script->at, text.at, text.len, err);
}

static int run_script(struct run_world *w, const char *script, const char *scratch,
                      const char *program, const struct build_opts *o, struct err *err)
{
    AUTO(str) struct str command = {0}, log = {0};
    int status = 0;
    str_add(&log, "%s/log", scratch);
    add_step(&command, "exec sh", script, NULL);
    command.len--; /* the line goes on */
    str_add(&command, " </dev/null >");
    add_quoted(&command, log.at);
    str_add(&command, " 2>&1");
    if (run_world_command(w, command.at, scratch, &status, err) < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == CODE_NOT_MADE)
        return err_set(err, "--build: '%s' did not make %s", o->command, program);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        build_failed("the command", log.at, err);
        return err_in(err, "--build");
    }
    return 0;
}

int rebuild_at_home(struct str *out, struct run_world *w, const char *program,
                    const struct build_opts *opts, struct err *err)
{
    AUTO(str) struct str script = {0}, made = {0};
    char scratch[PATH_MAX], full[PATH_MAX], file[PATH_MAX];
    if (!realpath(opts->scratch, scratch))
        return err_sys(err, "%s", opts->scratch);
    if (build_resolve(full, program, err) < 0)
        return -1;
    str_add(&made, "%s/%s", scratch, strrchr(full, '/') + 1);
    unlink(made.at);
    if (write_script(&script, scratch, full, made.at, opts, err) < 0 ||
        run_script(w, script.at, scratch, program, opts, err) < 0)
        return -1;
    for (uint32_t i = 0; i < opts->overlay_count; i++) {
        int result = build_resolve(file, opts->overlay[i].path, err);
        if (result == 0)
            result = build_check_compiled(made.at, &opts->overlay[i], file, err);
        if (result)
            return result;
    }
    str_add(out, "%s", made.at);
    return 0;
}
