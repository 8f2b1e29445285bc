/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-replay-witness: `heddle replay WITNESS` and `heddle run --schedule WITNESS`: a recorded
 * run that follows a witness file, and how far it came. */
#include "cmd/cmd.h"
#include "cmd/cmd-replay.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool is_witness(const char *path)
{
    AUTO(bytes) struct bytes in = {0};
    struct err err;
    return bytes_read(&in, path, &err) == 0 && witness_file_is(&in);
}

static int tell(const struct run_guided *g, const struct witness_file *w, const char *dir)
{
    if (!g->followed) {
        cmd_note("the witness was not followed: %s", g->why.at);
        cmd_note("replay: heddle replay %s", dir);
        return EXIT_UNDECIDED;
    }
    cmd_note("the witness was followed to its end%s%s",
             w->lines.at[w->lines.len - 1].how == WITNESS_AT
                 ? g->conflict && w->lines.at[w->lines.len - 1].kind != EV_REQUEST &&
                           w->lines.at[w->lines.len - 1].kind != EV_ACQUIRE
                       ? ": both accesses were next at once"
                       : ": everybody stood where it says"
                 : "",
             g->beside ? "; others had to run in between" : "");
    if (g->result.outcome != WORD_VALUE(OUTCOME, EXIT))
        fprintf(stderr, "heddle: %sreplay: heddle replay %s\n", g->result.text.at, dir);
    return run_exit_code(&g->result);
}

/* What the recorded run read from its standard input, or got through connections; NULL: nothing
 * that is known. */
static const char *recorded(const char *witness, const char *name, char out[PATH_MAX])
{
    AUTO(str) struct str file = {0};
    witness_recorded(&file, witness);
    str_add(&file, "/%s", name);
    return realpath(file.at, out);
}

/* Where the recorded run was, as it was before it. */
static int open_world(struct run_world **out, const char *witness, struct err *err)
{
    AUTO(str) struct str run = {0};
    witness_recorded(&run, witness);
    run_begins_before(run.at);
    return run_world_open(out, ".", err);
}

int replay_witness(const char *path, char *const *argv, bool in_place,
                   const struct run_opts *opts, struct err *err)
{
    AUTO(witness_file) struct witness_file w = {0};
    AUTO(str) struct str dir = {0};
    struct run_guided g = {0};
    uint32_t number = 0;
    if (witness_file_open(&w, path, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    if (!argv && w.program.len == 0) {
        cmd_note("%s names no program: say `--` and then the program and its arguments", path);
        return EXIT_USAGE;
    }
    struct run_opts own = *opts;
    char input[PATH_MAX], peers[PATH_MAX];
    if (!argv) {
        own.input = own.input ? own.input : recorded(path, "stdin", input);
        own.peers = recorded(path, "peers", peers);
        argv = w.program.at;
    }
    if (!run_is_ours(argv[0]))
        return cmd_not_ours(argv[0]);
    if (run_directory(&dir, argv[0], &number, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    int failed = in_place ? 0 : open_world(&own.in, path, err);
    if (!failed)
        failed = run_witness(&g, &w, argv, dir.at, &own, err);
    run_world_close(own.in);
    if (failed) {
        run_remove(dir.at);
        return cmd_fail(EXIT_WORLD, err);
    }
    int code = tell(&g, &w, dir.at);
    if (run_link_last(dir.at, err) < 0)
        code = cmd_fail(EXIT_WORLD, err);
    run_guided_done(&g);
    return code;
}
