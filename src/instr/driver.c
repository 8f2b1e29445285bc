/* SPDX-License-Identifier: Apache-2.0
 *
 * driver: clang, with the pass in between. A source takes three steps: clang makes bitcode
 * without optimising, the pass adds its hooks, clang optimises and makes the object as the
 * user asked. A program gets the runtime at its link. Warnings and errors of the user's code
 * come from the first step, once. */
#include "instr/cc.h"

#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

struct driver {
    const struct driver_opts *opts;
    struct arena mem;
    struct cc_line line;
    const char *clang;
    char dir[PATH_BYTES]; /* private; empty: not made */
    char runtime[PATH_BYTES], headers[PATH_BYTES];
    const char *command; /* of the whole line, for the units */
    struct bytes ignore; /* globs */
    uint32_t files;      /* names used in dir */
};

#define PUSH(list, ...)                                                  \
    do {                                                                 \
        const char *const push_[] = {__VA_ARGS__};                       \
        for (unsigned i_ = 0; i_ < sizeof push_ / sizeof push_[0]; i_++) \
            vec_push((list), push_[i_]);                                 \
    } while (0)

static void auto_words(word_list *list)
{
    vec_done(list);
}

/* ---- names of files --------------------------------------------------------------------- */

static const char *temp_name(struct driver *d, const char *suffix)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s/+%u.%s", d->dir, d->files++, suffix);
    return arena_text(&d->mem, text.at, text.len);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The path with another suffix, as clang would name it. */
static const char *with_suffix(struct driver *d, const char *path, const char *suffix)
{
    const char *dot = strrchr(last_part(path), '.');
    size_t len = dot && dot != last_part(path) ? (size_t)(dot - path) : strlen(path);
    AUTO(str) struct str text = {0};
    str_add(&text, "%.*s.%s", (int)len, path, suffix);
    return arena_text(&d->mem, text.at, text.len);
}

/* Side files of the last step (-save-temps and others) are named after its input. */
static const char *named_temp(struct driver *d, const char *source)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s/%s", d->dir, with_suffix(d, last_part(source), "bc"));
    return arena_text(&d->mem, text.at, text.len);
}

static const char *default_output(struct driver *d, const char *source)
{
    bool is_text = d->line.mode == MODE_ASSEMBLY;
    const char *suffix = d->line.emits_llvm ? (is_text ? "ll" : "bc") : is_text ? "s" : "o";
    return with_suffix(d, last_part(source), suffix);
}

/* ---- the private directory -------------------------------------------------------------- */

static int make_dir(struct driver *d, struct err *err)
{
    const char *base = getenv("TMPDIR");
    base = base && *base ? base : "/tmp";
    snprintf(d->dir, sizeof d->dir, "%s/heddle-cc-XXXXXX", base);
    if (mkdtemp(d->dir))
        return 0;
    err_sys(err, "cannot make a temporary directory in %s", base);
    d->dir[0] = 0;
    return -1;
}

static void remove_dir(struct driver *d)
{
    if (!d->dir[0])
        return;
    DIR *list = opendir(d->dir);
    for (struct dirent *e; list && (e = readdir(list));)
        unlinkat(dirfd(list), e->d_name, 0);
    if (list)
        closedir(list);
    rmdir(d->dir);
}

/* ---- what belongs to us ----------------------------------------------------------------- */

static int find_ours(const struct driver *d, const char *name, char out[PATH_BYTES],
                     struct err *err)
{
    static const char *const places[] = {"", "../lib/heddle/", "../lib64/heddle/",
                                         "../lib/x86_64-linux-gnu/heddle/"};
    int len = (int)(last_part(d->opts->self) - d->opts->self);
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(out, PATH_BYTES, "%.*s%s%s", len, d->opts->self, places[i], name);
        if (access(out, R_OK) == 0)
            return 0;
    }
    return err_set(err, "%s is neither beside %s nor in ../lib/heddle", name, d->opts->self);
}

/* ---- command lines ---------------------------------------------------------------------- */

static void begin_line(const struct driver *d, word_list *out)
{
    vec_push(out, d->clang);
    if (d->opts->is_cxx)
        vec_push(out, "--driver-mode=g++");
}

/* Before those of the system, and of the user. */
static void begin_source_line(const struct driver *d, word_list *out)
{
    begin_line(d, out);
    PUSH(out, "-isystem", d->headers);
}

static bool is_rebuild(const struct driver *d)
{
    return d->opts->rebuild.output != NULL;
}

static void add_flags(const struct driver *d, word_list *out, bool from_source)
{
    for (uint32_t i = 0; i < d->line.words.len; i++) {
        const struct cc_word *w = &d->line.words.at[i];
        if (is_rebuild(d) && (w->role == ROLE_SOURCE_ONLY || cc_asks_depfile(w->text)))
            continue;
        if (w->role == ROLE_FLAG ||
            (from_source && (w->role == ROLE_SOURCE_ONLY || w->role == ROLE_FRONT)))
            vec_push(out, w->text);
    }
    if (from_source && d->opts->rebuild.overlay)
        PUSH(out, "-ivfsoverlay", d->opts->rebuild.overlay);
}

static void add_input(word_list *out, const struct cc_input *input)
{
    if (input->language)
        PUSH(out, "-x", input->language);
    vec_push(out, input->path);
}

/* The side file with the dependences is named after what the user gets, not after ours. */
static void add_depfile(struct driver *d, word_list *out, const struct cc_input *input)
{
    const char *made = d->line.output;
    if (is_rebuild(d)) {
        AUTO(str) struct str path = {0};
        str_add(&path, "%s.%u.d", d->opts->rebuild.output, input->word);
        PUSH(out, "-MD", "-MF", arena_text(&d->mem, path.at, path.len));
        return;
    }
    if (!d->line.has_depfile)
        return;
    if (!d->line.has_depfile_name)
        PUSH(out, "-MF", with_suffix(d, made ? made : last_part(input->path), "d"));
    if (!d->line.has_depfile_target)
        PUSH(out, "-MQ", made ? made : with_suffix(d, last_part(input->path), "o"));
}

/* ---- compiling -------------------------------------------------------------------------- */

/* clang keeps away from the code: no inlining, no merging, no removing. Without optimisation
 * functions would be marked so that nobody may promote their locals, so we ask for it in any
 * case; what the preprocessor knows of it stays as the user said. */
static int make_bitcode(struct driver *d, const struct cc_input *input, const char *to,
                        const char *headers, int *out, struct err *err)
{
    __attribute__((cleanup(auto_words))) word_list line = {0};
    begin_source_line(d, &line);
    add_flags(d, &line, true);
    if (!d->line.is_optimised)
        PUSH(&line, "-O1", "-U__OPTIMIZE__");
    if (!d->line.has_debug)
        vec_push(&line, "-g");
    if (d->line.mode == MODE_LINK)
        vec_push(&line, "-Qunused-arguments");
    PUSH(&line, "-Xclang", "-disable-llvm-passes");
    PUSH(&line, "-Xclang", "-header-include-file", "-Xclang", headers);
    add_depfile(d, &line, input);
    PUSH(&line, "-emit-llvm", "-c", "-o", to);
    add_input(&line, input);
    return child_run(&line, d->dir, NULL, out, err);
}

/* What clang says about the command line it has said before. */
static void pass_messages(const char *path)
{
    AUTO(bytes) struct bytes text = {0};
    struct err ignored;
    if (bytes_read(&text, path, &ignored) < 0)
        return;
    const char *at = (const char *)text.at, *end = at + text.len;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = stop ? (size_t)(stop - at) + 1 : (size_t)(end - at);
        bool is_repeated =
            len > 5 && memcmp(at, "clang", 5) == 0 && memmem(at, len, ": warning: ", 11);
        if (!is_repeated) {
            ssize_t unheard = write(STDERR_FILENO, at, len);
            (void)unheard;
        }
        at += len;
    }
}

static int make_object(struct driver *d, const char *bitcode, const char *to, int *out,
                       struct err *err)
{
    __attribute__((cleanup(auto_words))) word_list line = {0};
    const char *messages = temp_name(d, "messages");
    begin_line(d, &line);
    add_flags(d, &line, false);
    PUSH(&line, "-Qunused-arguments", d->line.mode == MODE_ASSEMBLY ? "-S" : "-c", "-o", to,
         "-x", "ir", bitcode);
    int failed = child_run(&line, d->dir, messages, out, err);
    pass_messages(messages);
    return failed;
}

/* Assembler and whatever else is no C, and sources that are to be left alone. */
static int make_plain(struct driver *d, const struct cc_input *input, const char *to, int *out,
                      struct err *err)
{
    __attribute__((cleanup(auto_words))) word_list line = {0};
    begin_source_line(d, &line);
    add_flags(d, &line, true);
    add_depfile(d, &line, input);
    if (d->line.mode == MODE_LINK)
        vec_push(&line, "-Qunused-arguments");
    PUSH(&line, d->line.mode == MODE_ASSEMBLY ? "-S" : "-c", "-o", to);
    add_input(&line, input);
    return child_run(&line, d->dir, NULL, out, err);
}

static bool is_ignored(const struct driver *d, const char *source)
{
    char full[PATH_MAX];
    return ignore_has(&d->ignore, "src:", source) ||
           (realpath(source, full) && ignore_has(&d->ignore, "src:", full));
}

/* What a rebuild reads lies elsewhere than its name says: build/ looks after that itself. */
static int instrument(struct driver *d, const struct cc_input *input, const char *headers,
                      const char *from, const char *to, struct err *err)
{
    char cwd[PATH_MAX];
    instr_reads reads = {0};
    if (!is_rebuild(d))
        reads_find(&reads, &d->mem, input->path, headers);
    struct instr_opts opts = {.source = input->path,
                              .is_optimised = d->line.is_optimised,
                              .directory = getcwd(cwd, sizeof cwd) ? cwd : ".",
                              .command = d->command,
                              .reads = &reads,
                              .list = d->opts->list,
                              .ignore = &d->ignore};
    int failed = instr_module(from, to, &opts, err);
    vec_done(&reads);
    return failed;
}

static int compile(struct driver *d, const struct cc_input *input, const char *to, int *out,
                   struct err *err)
{
    if (!input->is_source || is_ignored(d, input->path))
        return make_plain(d, input, to, out, err);
    const char *plain = temp_name(d, "bc"), *hooked = named_temp(d, input->path);
    const char *headers = temp_name(d, "headers");
    if (make_bitcode(d, input, plain, headers, out, err) < 0)
        return -1;
    if (*out != 0)
        return 0;
    if (instrument(d, input, headers, plain, hooked, err) < 0)
        return -1;
    unlink(plain);
    if (d->opts->list)
        return 0;
    return make_object(d, hooked, to, out, err);
}

/* ---- linking ---------------------------------------------------------------------------- */

static int add_runtime(struct driver *d, word_list *out, struct err *err)
{
    if (d->line.makes_program) {
        const char *name = d->line.is_static ? "libheddle-off.a" : "libheddle-rt.a";
        if (find_ours(d, name, d->runtime, err) < 0)
            return err_in(err, "no runtime");
        PUSH(out, "-x", "none", "-Wl,--whole-archive", d->runtime, "-Wl,--no-whole-archive",
             "-Wl,--export-dynamic-symbol=__heddle_*", "-lpthread", "-ldl");
        if (!d->line.is_static) /* see rt/hook-chance.c */
            vec_push(out, "-Wl,--wrap=_ZNSt13random_device9_M_getvalEv");
        if (d->line.wants_no_libc)
            vec_push(out, "-lc");
    } else if (d->line.wants_defined) {
        vec_push(out, "-Wl,-z,undefs"); /* hooks are defined by the program only */
    }
    return 0;
}

/* What the program or library tells about its own link: how to make it again. */
static int add_link_record(struct driver *d, word_list *out, struct err *err)
{
    char cwd[PATH_MAX];
    AUTO(str) struct str text = {0};
    if (!d->line.makes_program && !d->line.makes_library)
        return 0;
    tables_record(&text, INSTR_RECORD_LINK, getcwd(cwd, sizeof cwd) ? cwd : ".", "",
                  d->command);
    str_add(&text, ".section .note.GNU-stack,\"\",@progbits\n"); /* no stack to execute */
    const char *path = temp_name(d, "s");
    if (file_write(path, text.at, text.len, err) < 0)
        return -1;
    PUSH(out, "-x", "assembler", path);
    return 0;
}

static const char *linked_instead(const struct driver *d, const char *path)
{
    const struct driver_rebuild *r = &d->opts->rebuild;
    for (uint32_t i = 0; i < r->instead_count; i++)
        if (strcmp(r->instead[2 * i], path) == 0)
            return r->instead[2 * i + 1];
    return path;
}

/* Objects stand where their sources stood. */
static int link_objects(struct driver *d, const char *const *objects, int *out, struct err *err)
{
    __attribute__((cleanup(auto_words))) word_list line = {0};
    uint32_t next = 0;
    begin_line(d, &line);
    for (uint32_t i = 0; i < d->line.words.len; i++) {
        const struct cc_word *w = &d->line.words.at[i];
        if (w->role == ROLE_FLAG) /* -lNAME may be one that was made anew */
            vec_push(&line, linked_instead(d, w->text));
        if (w->role != ROLE_INPUT)
            continue;
        const struct cc_input *input = &d->line.inputs.at[next];
        const char *object = objects[next++];
        PUSH(&line, "-x", object || !input->language ? "none" : input->language);
        vec_push(&line, object ? object : linked_instead(d, input->path));
    }
    if (d->line.output)
        PUSH(&line, "-o", d->line.output);
    if (add_link_record(d, &line, err) < 0 || add_runtime(d, &line, err) < 0)
        return -1;
    return child_run(&line, d->dir, NULL, out, err);
}

/* ---- all -------------------------------------------------------------------------------- */

static void choose_clang(struct driver *d)
{
    const char *chosen = getenv("HEDDLE_CLANG");
    d->clang = chosen && *chosen ? chosen : "clang-19";
}

/* A line that makes neither an object of ours nor a program needs no directory and no waiting:
 * clang takes over. */
static int hand_over(struct driver *d, int argc, char **argv, struct err *err)
{
    __attribute__((cleanup(auto_words))) word_list line = {0};
    if (d->line.is_untouched && (d->line.has_sources || d->line.has_headers))
        begin_source_line(d, &line);
    else
        begin_line(d, &line);
    for (int i = 0; i < argc; i++)
        vec_push(&line, argv[i]);
    if (!d->line.is_untouched && add_runtime(d, &line, err) < 0)
        return -1;
    return child_exec(&line, err);
}

static int compile_all(struct driver *d, const char **objects, int *out, struct err *err)
{
    for (uint32_t i = 0; i < d->line.inputs.len; i++) {
        const struct cc_input *input = &d->line.inputs.at[i];
        int code = 0;
        const char *only = d->opts->rebuild.only;
        if (child_signal() || (only && strcmp(only, input->path) != 0) ||
            (!input->is_source && (d->line.mode == MODE_LINK || d->opts->list)))
            continue;
        const char *to = d->line.output ? d->line.output : default_output(d, input->path);
        if (d->line.mode == MODE_LINK)
            to = objects[i] = temp_name(d, "o");
        if (compile(d, input, to, &code, err) < 0)
            return -1;
        if (code != 0)
            *out = code;
    }
    return 0;
}

static int run(struct driver *d, int *out, struct err *err)
{
    const char *wanted = d->opts->ignore,
               *ignore = wanted ? wanted : getenv("HEDDLE_CC_IGNORE");
    if (ignore && *ignore && bytes_read(&d->ignore, ignore, err) < 0)
        return err_in(err, wanted ? "--heddle-ignore" : "HEDDLE_CC_IGNORE");
    if (make_dir(d, err) < 0)
        return -1;
    child_watch_signals();
    const char **objects = ARENA_NEW(&d->mem, const char *, d->line.inputs.len);
    *out = 0;
    if (compile_all(d, objects, out, err) < 0)
        return -1;
    if (*out == 0 && d->line.mode == MODE_LINK && !d->opts->list && !child_signal())
        return link_objects(d, objects, out, err);
    return 0;
}

static void join_command(struct driver *d)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s", d->opts->is_cxx ? "c++" : "cc");
    for (uint32_t i = 0; i < d->line.words.len; i++)
        str_add(&text, "\n%s", d->line.words.at[i].text);
    d->command = arena_text(&d->mem, text.at, text.len);
}

int driver_run(const struct driver_opts *opts, int argc, char **argv, int *out, struct err *err)
{
    struct driver d = {.opts = opts};
    choose_clang(&d);
    cc_parse(&d.line, &d.mem, argc, argv);
    int failed = find_ours(&d, "headers", d.headers, err);
    bool links_only = !d.line.has_sources && d.line.mode == MODE_LINK &&
                      (d.line.makes_program || d.line.makes_library);
    if (failed < 0) {
        err_in(err, "no headers");
    } else if (d.line.is_untouched || (!d.line.has_sources && !links_only)) {
        failed = hand_over(&d, argc, argv, err);
    } else {
        if (opts->rebuild.output)
            d.line.output = opts->rebuild.output;
        join_command(&d);
        failed = run(&d, out, err);
    }
    remove_dir(&d);
    bytes_done(&d.ignore);
    cc_done(&d.line);
    arena_done(&d.mem);
    if (child_signal()) {
        signal(child_signal(), SIG_DFL);
        raise(child_signal());
    }
    return failed;
}
