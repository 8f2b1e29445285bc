/* SPDX-License-Identifier: Apache-2.0
 *
 * where: see where.h. Findings of one run share its replay, and runs of one program what the
 * compiler has kept about its calls. */
#include "check/where.h"

#include "base/io.h"
#include "base/stop.h"
#include "build/build.h"
#include "explain/explain.h"
#include "witness/witness.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct where {
    struct finding_list *l;
    const struct check_opts *o;
    struct str program; /* whose calls these are */
    struct call_sites *calls;
};

/* The run that shows it; "": there is none. */
static void find_run(struct str *out, const struct finding *f)
{
    AUTO(str) struct str link = {0};
    char absolute[PATH_MAX];
    if (!*f->run && *f->witness)
        witness_run(&link, f->witness);
    else
        str_add(&link, "%s", f->run);
    out->len = 0;
    str_add(out, "%s", link.len > 0 && realpath(link.at, absolute) ? absolute : "");
}

static void read_calls(struct where *w, const char *program)
{
    AUTO(build_units) struct build_units units = {0};
    struct err ignored;
    char absolute[PATH_MAX];
    if (!realpath(program, absolute) || (w->calls && strcmp(w->program.at, absolute) == 0))
        return;
    call_sites_free(w->calls);
    w->calls = call_sites_new();
    w->program.len = 0;
    str_add(&w->program, "%s", absolute);
    if (build_units_read(&units, absolute, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < units.calls.len; i++)
        call_sites_add(w->calls, units.calls.at[i]);
}

static void tell_run(struct where *w, const char *run, const char *trace, uint64_t events)
{
    AUTO(str) struct str own = {0};
    struct own_paths paths = {w->o->own.at, w->o->own.len};
    struct err ignored;
    for (uint32_t i = 0; i < w->l->findings.len; i++) {
        struct finding *f = &w->l->findings.at[i];
        find_run(&own, f);
        if (finding_is_shown(f) && strcmp(own.at, run) == 0 &&
            explain_stacks(f, &w->l->mem, trace, events, w->calls, &ignored) == 0)
            explain_own(f, &w->l->mem, &paths);
    }
}

/* From the directory in which it was recorded, which becomes ours until it is done. */
static void look_at_run(struct where *w, const char *run)
{
    AUTO(str) struct str trace = {0};
    struct run_recorded recorded = {0};
    struct run_again again = {0};
    struct err ignored;
    struct run_opts opts = {.timeout_s = w->o->run.timeout_s};
    if (run_recorded_read(&recorded, run, &ignored) < 0)
        return;
    if (run_again_open(&again, &recorded, w->o->in_place, &ignored) == 0) {
        read_calls(w, recorded.argv.at[0]);
        str_add(&trace, "%s/trace", again.files.at);
        if (w->calls && run_calls(&again, &opts, &ignored) == 0)
            tell_run(w, run, trace.at, recorded.events);
        run_again_close(&again);
    }
    run_recorded_done(&recorded);
}

/* ---- lines of source --------------------------------------------------------------------- */

/* Without blanks around it. */
static const char *line_of(struct arena *mem, const struct bytes *b, uint32_t number)
{
    enum { TEXT_MAX = 200 };
    const char *at = (const char *)b->at, *end = at + b->len;
    for (uint32_t i = 1; i < number && at < end; i++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        at = nl ? nl + 1 : end;
    }
    const char *nl = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    const char *last = nl ? nl : end;
    while (at < last && (*at == ' ' || *at == '\t'))
        at++;
    while (last > at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'))
        last--;
    size_t len = (size_t)(last - at) < TEXT_MAX ? (size_t)(last - at) : TEXT_MAX;
    return arena_text(mem, at, len);
}

static void tell_lines(struct where *w, struct finding *f)
{
    for (uint32_t i = 0; i < f->steps.len; i++) {
        AUTO(bytes) struct bytes b = {0};
        struct finding_step *s = &f->steps.at[i];
        const struct place *p = finding_own_place(s);
        struct err ignored;
        if (s->is_key && *p->file && p->line > 0 && bytes_read(&b, p->file, &ignored) == 0)
            s->text = line_of(&w->l->mem, &b, p->line);
    }
}

/* ---- what the program said --------------------------------------------------------------- */

/* Without what a terminal would obey. */
static const char *clean_line(struct arena *mem, const char *at, size_t len)
{
    enum { LINE_MAX_BYTES = 200 };
    char *text = arena_text(mem, at, len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = *c == '\t' ? ' ' : '?';
    return text;
}

/* The last lines on stderr of a run that ended badly. */
static void tell_said(struct where *w, struct finding *f)
{
    enum { LINES = 3 };
    AUTO(str) struct str run = {0}, all = {0};
    find_run(&run, f);
    if (!harm_ends(f->harm) || !run.len || !run_printed_on(&all, run.at, STDERR_FILENO))
        return;
    const char **lines = ARENA_NEW(&w->l->mem, const char *, LINES);
    const char *first[LINES];
    uint32_t count = 0;
    const char *end = all.at + all.len;
    for (const char *at = end; all.len > 0 && at > all.at && count < LINES;) {
        const char *last = at[-1] == '\n' ? at - 1 : at, *start = last;
        while (start > all.at && start[-1] != '\n')
            start--;
        if (last > start)
            first[count++] = clean_line(&w->l->mem, start, (size_t)(last - start));
        at = start;
    }
    for (uint32_t i = 0; i < count; i++)
        lines[i] = first[count - 1 - i];
    f->said = (struct finding_lines){lines, count};
}

static bool is_new(const struct where *w, uint32_t finding, const char *run)
{
    AUTO(str) struct str other = {0};
    for (uint32_t i = 0; i < finding; i++) {
        find_run(&other, &w->l->findings.at[i]);
        if (finding_is_shown(&w->l->findings.at[i]) && strcmp(other.at, run) == 0)
            return false;
    }
    return true;
}

void where_tell(struct finding_list *l, const struct check_opts *opts)
{
    AUTO(str) struct str run = {0};
    struct where w = {.l = l, .o = opts};
    AUTO(fd) int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool has_time = here >= 0 && !l->stopped_early;
    for (uint32_t i = 0; has_time && i < l->findings.len && !run_signal(); i++) {
        find_run(&run, &l->findings.at[i]);
        if (!run.len || !finding_is_shown(&l->findings.at[i]) || !is_new(&w, i, run.at))
            continue;
        look_at_run(&w, run.at);
        CHECK(fchdir(here) == 0);
    }
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (finding_is_shown(&l->findings.at[i])) {
            tell_lines(&w, &l->findings.at[i]);
            tell_said(&w, &l->findings.at[i]);
        }
    call_sites_free(w.calls);
    str_done(&w.program);
}
