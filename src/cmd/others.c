/* SPDX-License-Identifier: Apache-2.0
 *
 * others: processes that a recorded run started, or became by exec. A replay starts none of
 * them: what they printed is taken from the run's `output`, how it ended from its `outcome`. */
#include "cmd/others.h"
#include "run/run.h"

#include <string.h>

static bool is_call(const struct log_entry *e, const char *name)
{
    return e->head.bytes > strlen(name) && strcmp((const char *)e->data, name) == 0;
}

static bool starts(const struct log_entry *e)
{
    static const char *const names[] = {"fork", "posix_spawn", "posix_spawnp", "system",
                                        "popen"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_call(e, names[i]) && e->head.result >= 0)
            return strcmp(names[i], "fork") != 0 || e->head.result > 0; /* 0: it is the child */
    return false;
}

static bool open_part(struct runfile *f, const char *run, const char *name)
{
    AUTO(str) struct str path = {0};
    struct err err;
    str_add(&path, "%s/%s", run, name);
    return runfile_open(f, path.at, &err) == 0;
}

struct others others_find(const char *run)
{
    struct others o = {0};
    struct runfile f;
    uint32_t images = 0;
    if (!open_part(&f, run, "input"))
        return o;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        o.started |= starts(e);
        images += is_call(e, "image");
        images -= is_call(e, "exec");
    }
    o.became = images > 0;
    runfile_close(&f);
    return o;
}

void others_show(const char *run)
{
    struct runfile f;
    if (!open_part(&f, run, "output"))
        return;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        FILE *to = e->head.ordinal == STDOUT_FILENO ? stdout : stderr;
        fwrite(e->data, 1, e->head.bytes, to);
        fflush(to);
    }
    runfile_close(&f);
}

int others_exit_code(const char *run)
{
    struct run_result r = {0};
    struct runfile f;
    if (!open_part(&f, run, "outcome"))
        return 0;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        if (e->head.tag != TAG_OUTCOME)
            continue;
        r.outcome = (uint8_t)e->head.ordinal;
        r.code = (int)e->head.result;
        break;
    }
    runfile_close(&f);
    return run_exit_code(&r);
}
