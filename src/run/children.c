/* SPDX-License-Identifier: Apache-2.0
 *
 * children: forked children (rt/forked.c), and the programs of ours that a program which is not
 * ours (ctest, make, a shell) has started in its run. Each has made a directory of its own in
 * that of the run (rt/family.c), with everything in it that a run has but what it printed. */
#include "run/parts.h"

#include <string.h>
#include <unistd.h>

/* The runtime cannot say which build it was. */
static void add_build(const struct run_recorded *r)
{
    AUTO(str) struct str build = {0};
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes old = {0};
    AUTO(str) struct str program = {0};
    struct runfile_out o = {0};
    struct err err;
    const char *name = r->argv.at[0];
    bool is_relative = name[0] != '/' && strchr(name, '/') && r->directory;
    str_add(&program, "%s%s%s", is_relative ? r->directory : "", is_relative ? "/" : "", name);
    run_build(&build, program.at);
    str_add(&path, "%s/command", r->path.at);
    if (!build.len || bytes_read(&old, path.at, &err) < 0)
        return;
    str_bytes(&o.bytes, (const char *)old.at, old.len);
    runfile_add(&o, (struct log_record){.tag = TAG_BUILD, .bytes = build.len}, build.at);
    file_write(path.at, o.bytes.at, o.bytes.len, &err); /* without it a replay cannot warn */
    str_done(&o.bytes);
}

void run_children_read(run_children *out, const char *run)
{
    AUTO(str) struct str path = {0};
    for (uint32_t n = 1; n < UINT32_MAX; n++) {
        struct run_recorded r = {0};
        struct err err;
        path.len = 0;
        str_add(&path, "%s/child-%u", run, n);
        if (access(path.at, F_OK) < 0)
            return;
        if (run_recorded_read(&r, path.at, &err) < 0)
            continue; /* ended before its first event */
        if (!r.build)
            add_build(&r);
        vec_push(out, r);
        run_children_read(out, path.at);
    }
}

void run_process(struct str *out, const char *run)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err ignored;
    out->len = 0;
    str_add(out, "%s", "");
    str_add(&path, "%s/command", run);
    if (runfile_open(&f, path.at, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < f.entries.len; i++)
        if (f.entries.at[i].head.tag == TAG_PROCESS) {
            out->len = 0; /* of a child's child, the last one counts */
            str_bytes(out, (const char *)f.entries.at[i].data, f.entries.at[i].head.bytes);
        }
    runfile_close(&f);
}

bool run_became_another(const struct run_recorded *r)
{
    for (uint32_t i = 0; !r->has_outcome && i < r->outcome.doubts.len; i++)
        if (r->outcome.doubts.at[i].why == DOUBT_CHILD_NOT_FOLLOWED)
            return true;
    return false;
}

void run_children_done(run_children *children)
{
    for (uint32_t i = 0; i < children->len; i++)
        run_recorded_done(&children->at[i]);
    vec_done(children);
}
