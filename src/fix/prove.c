/* SPDX-License-Identifier: Apache-2.0
 *
 * prove: a patch is believed when it has been rebuilt and judged: no new warnings, the failing
 * schedules and many others pass, and verify says `fixed`. */
#include "fix/recipe.h"

#include "explore/explore.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { QUICK_RUNS = 40, EXPLORE_DEFAULT = 100, BOUNDED_RUNS = 3000, TIMED_RUNS = 3 };
/* A patch that nothing breaks, with more schedules than that, is given a longer look. */
enum { LONG_RUNS = 15000, LONG_LOOKS = 2 };

struct changed {
    const char *path, *name;
    struct bytes bytes; /* before */
    struct str text;    /* after */
};
typedef VEC(struct changed) changes;

const char *candidate_say(struct fix_repair *r, struct fix_candidate *c, const char *format,
                          ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *line = arena_text(&r->mem, text, strlen(text));
    vec_push(&c->log, line);
    return line;
}

/* From the current directory if it is below that. */
static const char *short_name(struct fix_repair *r, const char *path)
{
    char here[PATH_MAX];
    size_t len = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (len && strncmp(path, here, len) == 0 && path[len] == '/')
        path += len + 1;
    return arena_text(&r->mem, path, strlen(path));
}

static void changes_done(changes *list)
{
    for (uint32_t i = 0; i < list->len; i++) {
        bytes_done(&list->at[i].bytes);
        str_done(&list->at[i].text);
    }
    vec_done(list);
}

static struct text text_before(const struct changed *c)
{
    return (struct text){(const char *)c->bytes.at, (uint32_t)c->bytes.len};
}

static struct text text_after(const struct changed *c)
{
    return (struct text){c->text.at ? c->text.at : "", (uint32_t)c->text.len};
}

int text_before_patch(struct bytes *out, const fix_texts *texts, const char *path,
                      struct err *err)
{
    for (uint32_t i = 0; texts && i < texts->len; i++)
        if (strcmp(texts->at[i].path, path) == 0) {
            struct text t = texts->at[i].text;
            *out = (struct bytes){.at = (const uint8_t *)t.at, .len = t.len}; /* borrowed */
            return 0;
        }
    return bytes_read(out, path, err);
}

int candidate_diff(struct fix_repair *r, struct fix_candidate *c, const fix_texts *texts,
                   struct err *err)
{
    AUTO(str) struct str root = {0};
    patch_files files = {0};
    changes list = {0};
    int failed = 0;
    patch_list(&c->patch, &files);
    diff_root(&root, &files);
    c->root = arena_text(&r->mem, root.at, root.len);
    for (uint32_t i = 0; i < files.len && !failed; i++) {
        struct changed one = {.path = files.at[i]};
        failed = text_before_patch(&one.bytes, texts, one.path, err);
        if (!failed)
            failed = patch_apply(&c->patch, one.path, text_before(&one), &one.text, err);
        vec_push(&list, one);
        if (!failed)
            diff_print(&c->diff, one.path + root.len + (root.len > 0), text_before(&one),
                       text_after(&one));
    }
    for (size_t i = 0; c->diff.at && i < c->diff.len;) {
        const char *line = c->diff.at + i;
        bool is_head = strncmp(line, "--- a/", 6) == 0 || strncmp(line, "+++ b/", 6) == 0;
        c->lines += (line[0] == '+' || line[0] == '-') && !is_head;
        i += strcspn(line, "\n") + 1;
    }
    changes_done(&list);
    vec_done(&files);
    return failed;
}

/* ---- compile ---------------------------------------------------------------------------- */

static int check_warnings(struct fix_candidate *c, struct codebase *code, struct err *err)
{
    patch_files files = {0};
    int failed = 0;
    patch_list(&c->patch, &files);
    for (uint32_t i = 0; i < code->units.len && !failed; i++) {
        struct codebase_unit *one = &code->units.at[i];
        bool is_touched = false;
        for (uint32_t k = 0; k < files.len && one->is_open; k++)
            is_touched |= unit_file(&one->u, files.at[k]) != NONE;
        if (is_touched)
            failed = patch_check(&c->patch, &one->u, &one->opts, err);
    }
    vec_done(&files);
    return failed;
}

static int read_changes(struct fix_repair *r, const struct patch *p, const fix_texts *texts,
                        changes *out, struct err *err)
{
    patch_files files = {0};
    int failed = 0;
    patch_list(p, &files);
    for (uint32_t i = 0; i < files.len && !failed; i++) {
        struct changed one = {.path = files.at[i], .name = short_name(r, files.at[i])};
        failed = text_before_patch(&one.bytes, texts, one.path, err);
        if (!failed)
            failed = patch_apply(p, one.path, text_before(&one), &one.text, err);
        vec_push(out, one);
    }
    vec_done(&files);
    return failed;
}

static bool is_changed(const changes *list, const char *path)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].path, path) == 0)
            return true;
    return false;
}

static int rebuild(struct fix_repair *r, struct fix_candidate *c, const changes *list,
                   const struct fix_repair_opts *opts, struct err *err)
{
    AUTO(str) struct str scratch = {0};
    AUTO(str) struct str program = {0};
    VEC(struct build_overlay) overlay = {0};
    str_add(&scratch, "%s/fix", opts->home);
    if (directory_make(scratch.at, err) < 0)
        return -1;
    str_add(&scratch, "/%u", c->round);
    run_remove_tree(scratch.at);
    if (directory_make(scratch.at, err) < 0)
        return -1;
    for (uint32_t i = 0; i < list->len; i++)
        vec_push(&overlay, (struct build_overlay){.path = list->at[i].path,
                                                  .text = text_after(&list->at[i])});
    for (uint32_t i = 0; opts->texts && i < opts->texts->len; i++)
        if (!is_changed(list, opts->texts->at[i].path))
            vec_push(&overlay, (struct build_overlay){.path = opts->texts->at[i].path,
                                                      .text = opts->texts->at[i].text});
    struct build_opts build = {.scratch = scratch.at,
                               .overlay = overlay.at,
                               .overlay_count = overlay.len,
                               .command = opts->build};
    int failed =
        build_program(&program, opts->original ? opts->original : opts->argv[0], &build, err);
    if (!failed)
        c->program = arena_text(&r->mem, program.at, program.len);
    vec_done(&overlay);
    return failed;
}

/* ---- judge ------------------------------------------------------------------------------ */

void candidate_argv(argv_list *out, const struct fix_candidate *c,
                    const struct fix_repair_opts *opts)
{
    union {
        const char *in;
        char *out;
    } program = {c->program};
    CHECK(*c->program);
    vec_push(out, program.out);
    for (char *const *a = opts->argv + 1; *a; a++)
        vec_push(out, *a);
    vec_push(out, NULL);
}

/* A failure that the program had besides the one at hand: that is for another patch. */
static bool is_another(const struct fix_candidate *c, const struct codebase *code,
                       const struct run_result *r)
{
    const struct causes *all = code->causes;
    uint32_t mine = all->causes.at[c->cause].failure;
    bool is_known = false;
    for (uint32_t i = 0; i < all->failures.len; i++) {
        if (all->failures.at[i].outcome != r->outcome || !*all->failures.at[i].run)
            continue;
        if (i == mine)
            return false;
        is_known = true;
    }
    return is_known;
}

/* Does no run of the program before end so? */
static bool is_new_failure(const struct codebase *code, const struct run_result *r)
{
    for (uint32_t i = 0; i < code->causes->failures.len; i++)
        if (code->causes->failures.at[i].outcome == r->outcome &&
            *code->causes->failures.at[i].run)
            return false;
    return true;
}

/* One run after another, all in the same directory until one fails. 1: one did. */
static int try_schedules(struct fix_repair *r, struct fix_candidate *c,
                         const struct codebase *code, uint32_t apart, char *const *argv,
                         struct run_opts *run, const char *directory, struct err *err)
{
    uint32_t others = 0;
    struct portfolio hows = portfolio_of(PORTFOLIO_PATCH);
    for (uint32_t i = 0; i < QUICK_RUNS; i++) {
        struct run_result result;
        run->policy = hows.at[i % hows.len].policy;
        run->seed++;
        run_clear(directory);
        if (run_target(&result, argv, directory, run, err) < 0)
            return -1;
        bool is_other = !run_ended_well(&result) && (harm_in(apart, harm_of(result.outcome)) ||
                                                     is_another(c, code, &result));
        bool is_good = run_ended_well(&result) || run_unjudged(&result) || is_other;
        others += is_other;
        if (!is_good) {
            AUTO(str) struct str kind = {0};
            run_kind(&kind, &result);
            c->breaks = arena_text(&r->mem, directory, strlen(directory));
            c->ends_in = arena_text(&r->mem, kind.at, kind.len);
            c->is_worse = is_new_failure(code, &result);
            c->decided = candidate_say(
                r, c, "a schedule (%s) %s in %s: heddle replay %s", run->policy,
                c->is_worse ? "ends as none did before," : "still ends", kind.at, directory);
        }
        run_result_done(&result);
        if (!is_good)
            return 1;
    }
    if (others)
        candidate_say(
            r, c,
            "%d schedules by chance: it is gone; %u end in another failure that the program "
            "had",
            QUICK_RUNS, others);
    else
        candidate_say(r, c, "%d schedules by chance: all pass", QUICK_RUNS);
    return 0;
}

/* Some schedules by chance: what is plainly wrong goes early. 1: one failed. */
static int explore_quickly(struct fix_repair *r, struct fix_candidate *c,
                           const struct codebase *code, const struct fix_repair_opts *opts,
                           struct err *err)
{
    AUTO(str) struct str directory = {0};
    struct run_opts run = opts->run;
    struct run_world *in = NULL;
    argv_list argv = {0};
    candidate_argv(&argv, c, opts);
    run.no_trace = true;
    str_add(&directory, "%s/fix/%u/chance", opts->home, c->round);
    int result = run_make_directory(directory.at, err);
    if (!result && !opts->pool.in_place)
        result = run_world_open(&in, ".", err);
    if (!result)
        result = run_server_open(&run.server, argv.at, false, err);
    if (!result) {
        run.in = in;
        result = try_schedules(r, c, code, opts->apart, argv.at, &run, directory.at, err);
    }
    run_server_close(run.server);
    run_world_close(in);
    vec_done(&argv);
    return result;
}

/* is_beside: it is decided by other means than verify's. */
static void say_account(struct fix_repair *r, struct fix_candidate *c,
                        const struct verify_verdict *v, bool is_beside)
{
    if (v->word != VERIFY_UNKNOWN || !is_beside)
        c->decided =
            candidate_say(r, c, "verify: %s: %s", verify_word_text(v->word), v->reason);
    if (v->suspicious)
        candidate_say(
            r, c,
            "%u suspicious violation%s: %u excluded by proof, %u run and passed, %u out of "
            "reach, %u left",
            v->suspicious, v->suspicious == 1 ? "" : "s", v->excluded, v->passed,
            v->unreachable, v->left);
    if (v->explored)
        candidate_say(r, c, "%u schedules explored%s", v->explored,
                      v->is_complete ? ": all there are" : "");
    for (uint32_t i = 0; i < v->beside.len; i++)
        candidate_say(r, c, "beside it: %s", v->beside.at[i].text);
    for (uint32_t i = 0; i < v->notes.len; i++)
        candidate_say(r, c, "%s", v->notes.at[i]);
}

/* Events that an undisturbed run may have, for one that the old program had. */
enum { COST_MAX = 3 };

static bool is_cheap(struct fix_repair *r, struct fix_candidate *c,
                     const struct verify_verdict *v)
{
    uint64_t before = v->cost_before.events, after = v->cost_after.events;
    if (!before || !after)
        return true;
    candidate_say(r, c, "cost: %llu events, %llu before; at most %d times as many are allowed",
                  (unsigned long long)after, (unsigned long long)before, COST_MAX);
    c->cost_before = v->cost_before;
    c->cost_after = v->cost_after;
    c->is_serial = v->cost_after.overlaps < v->cost_before.overlaps;
    if (c->is_serial) {
        candidate_say(
            r, c,
            "threads that worked at the same time run one after the other: %llu pairs "
            "instead of %llu",
            (unsigned long long)v->cost_after.overlaps,
            (unsigned long long)v->cost_before.overlaps);
        c->trade = "it runs them one after the other";
    }
    return after <= COST_MAX * before;
}

/* 1: it is not fixed. */
static int judge(struct fix_repair *r, struct fix_candidate *c, const changes *list,
                 const struct fix_repair_opts *opts, const char *failing, bool is_circle,
                 struct err *err)
{
    AUTO(verify_verdict) struct verify_verdict v = {0};
    VEC(struct verify_change) changed = {0};
    AUTO(str) struct str store = {0};
    argv_list argv = {0};
    candidate_argv(&argv, c, opts);
    for (uint32_t i = 0; i < list->len; i++)
        vec_push(&changed, (struct verify_change){.file = list->at[i].path,
                                                  .old_file = list->at[i].path,
                                                  .before = text_before(&list->at[i]),
                                                  .after = text_after(&list->at[i])});
    str_add(&store, "%s/fix/%u/runs", opts->home, c->round);
    struct verify_opts verify = {.before = opts->argv,
                                 .apart = opts->apart,
                                 .after = argv.at,
                                 .schedule = failing,
                                 .store = store.at,
                                 .changes = changed.at,
                                 .change_count = changed.len,
                                 .run = opts->run,
                                 .before_each = opts->pool.before_each,
                                 .in_place = opts->pool.in_place,
                                 .jobs = opts->pool.jobs,
                                 .timed = TIMED_RUNS,
                                 .bounded = is_circle ? 0 : BOUNDED_RUNS,
                                 .explore = opts->explore ? opts->explore : EXPLORE_DEFAULT};
    int failed = directory_make(store.at, err);
    if (!failed)
        failed = verify_judge(&verify, &v, err);
    if (!failed && v.word == VERIFY_UNKNOWN && v.is_cut && r->long_looks < LONG_LOOKS) {
        r->long_looks++;
        verify.bounded = LONG_RUNS;
        verify_verdict_done(&v);
        v = (struct verify_verdict){0};
        failed = verify_judge(&verify, &v, err);
    }
    vec_done(&changed);
    vec_done(&argv);
    if (failed)
        return -1;
    bool is_harmless =
        v.word == VERIFY_UNKNOWN && !*v.failing && opts->finding && !opts->is_harmful;
    bool has_no_access = v.word == VERIFY_UNKNOWN && *v.failing && is_circle && !v.suspicious;
    say_account(r, c, &v, is_harmless || has_no_access);
    c->has_bound = v.word == VERIFY_FIXED && v.has_bound;
    c->bound = v.bound;
    if (v.word == VERIFY_BROKEN) {
        c->breaks = arena_text(&r->mem, v.run, strlen(v.run));
        c->is_helping = v.found_by != FOUND_SCHEDULE;
    }
    if (v.word != VERIFY_FIXED && !is_harmless && !has_no_access)
        return 1;
    if (has_no_access)
        failed = circles_are_gone(r, c, opts, err);
    else if (opts->finding)
        failed = finding_is_gone(r, c, opts, is_harmless, err);
    if (failed)
        return failed;
    if (verify_adds_bug(&v)) {
        candidate_say(r, c, "it brings a bug that was not there before");
        return 1;
    }
    return is_cheap(r, c, &v) ? 0 : 1;
}

int candidate_judge(struct fix_repair *r, struct fix_candidate *c,
                    const struct fix_repair_opts *opts, const char *failing, bool is_circle,
                    struct err *err)
{
    changes list = {0};
    int failed = read_changes(r, &c->patch, opts->texts, &list, err);
    if (!failed)
        failed = judge(r, c, &list, opts, failing, is_circle, err);
    changes_done(&list);
    return failed;
}

/* The run that the cause was seen in; of one that was learnt from a patched program: any. */
static const char *failing_run(const struct fix_candidate *c, const struct codebase *code,
                               const struct fix_repair_opts *opts)
{
    const struct causes *all = code->causes;
    uint32_t failure = all->causes.at[c->cause].failure;
    if (failure < all->failures.len && *all->failures.at[failure].run)
        return all->failures.at[failure].run;
    bool has_one = failure < all->failures.len && *all->failures.at[0].run;
    return has_one ? all->failures.at[0].run : opts->failing;
}

/* 1: it does not compile, or not without new warnings. */
static int build_changes(struct fix_repair *r, struct fix_candidate *c, struct codebase *code,
                         changes *list, const struct fix_repair_opts *opts, struct err *err)
{
    struct err why;
    c->state = FIX_REFUSED;
    if (check_warnings(c, code, &why) < 0) {
        candidate_say(r, c, "%s", why.text);
        return 1;
    }
    int built = read_changes(r, &c->patch, opts->texts, list, &why);
    if (built == 0)
        built = rebuild(r, c, list, opts, &why);
    if (built != 0) {
        candidate_say(r, c, "it cannot be built: %s", why.text);
        return built > 0 ? err_set(err, "%s", why.text) : 1; /* nor can any other */
    }
    candidate_say(r, c, "rebuilt without new warnings");
    c->state = FIX_PARTIAL;
    return 0;
}

int candidate_build(struct fix_repair *r, struct fix_candidate *c, struct codebase *code,
                    const struct fix_repair_opts *opts, struct err *err)
{
    changes list = {0};
    int result = build_changes(r, c, code, &list, opts, err);
    changes_done(&list);
    return result;
}

int candidate_prove(struct fix_repair *r, struct fix_candidate *c, struct codebase *code,
                    const struct fix_repair_opts *opts, struct err *err)
{
    CHECK(c->state == FIX_UNTRIED && c->cause < code->causes->causes.len);
    changes list = {0};
    int failed = build_changes(r, c, code, &list, opts, err);
    if (failed != 0) {
        changes_done(&list);
        return failed < 0 ? -1 : 0;
    }
    failed = explore_quickly(r, c, code, opts, err);
    if (failed == 0)
        failed = judge(r, c, &list, opts, failing_run(c, code, opts),
                       candidate_shows_in_locks(c, code->causes), err);
    if (failed == 0)
        c->state = FIX_PROVEN;
    changes_done(&list);
    return failed < 0 ? -1 : 0;
}
