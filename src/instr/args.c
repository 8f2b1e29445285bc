/* SPDX-License-Identifier: Apache-2.0
 *
 * args: which words of a compiler's command line are files, and what is to be made of them.
 * Only what the driver has to change is understood; everything else is passed on as it is, and
 * a line with a word that changes what clang does at all is left to clang alone. */
#include "instr/cc.h"

#include "base/io.h"

#include <ctype.h>
#include <string.h>

enum { RESPONSE_DEPTH_MAX = 16 };

/* ---- lists of words --------------------------------------------------------------------- */

/* Take the next word as their value if they stand alone (clang 19: Options.td). */
static const char *const separate[] = {"--assert",
                                       "--config",
                                       "--define-macro",
                                       "--defsym",
                                       "--dyld-prefix",
                                       "--for-linker",
                                       "--force-link",
                                       "--include-directory",
                                       "--include-directory-after",
                                       "--include-prefix",
                                       "--include-with-prefix",
                                       "--include-with-prefix-after",
                                       "--include-with-prefix-before",
                                       "--library-directory",
                                       "--no-system-header-prefix",
                                       "--param",
                                       "--prefix",
                                       "--resource",
                                       "--rtlib",
                                       "--std",
                                       "--stdlib",
                                       "--sysroot",
                                       "--system-header-prefix",
                                       "--undefine-macro",
                                       "-A",
                                       "-B",
                                       "-D",
                                       "-F",
                                       "-G",
                                       "-I",
                                       "-L",
                                       "-T",
                                       "-U",
                                       "-Xanalyzer",
                                       "-Xarch_device",
                                       "-Xarch_host",
                                       "-Xassembler",
                                       "-Xclang",
                                       "-Xlinker",
                                       "-Xopenmp-target",
                                       "-Xpreprocessor",
                                       "-Zlinker-input",
                                       "-arch",
                                       "-b",
                                       "-cxx-isystem",
                                       "-darwin-target-variant",
                                       "-dumpdir",
                                       "-dwarf-debug-producer",
                                       "-e",
                                       "-fdebug-compilation-dir",
                                       "-fmodule-implementation-of",
                                       "-fmodules-user-build-path",
                                       "-fnew-alignment",
                                       "-framework",
                                       "-ftrapv-handler",
                                       "-gen-cdb-fragment-path",
                                       "-idirafter",
                                       "-iframework",
                                       "-iframeworkwithsysroot",
                                       "-imacros",
                                       "-imultilib",
                                       "-include",
                                       "-include-pch",
                                       "-init",
                                       "-iprefix",
                                       "-iquote",
                                       "-isysroot",
                                       "-isystem",
                                       "-isystem-after",
                                       "-ivfsoverlay",
                                       "-iwithprefix",
                                       "-iwithprefixbefore",
                                       "-iwithsysroot",
                                       "-l",
                                       "-meabi",
                                       "-mllvm",
                                       "-mthread-model",
                                       "-resource-dir",
                                       "-rpath",
                                       "-serialize-diagnostics",
                                       "-specs",
                                       "-stdlib++-isystem",
                                       "-target",
                                       "-u",
                                       "-undefined",
                                       "-vfsoverlay",
                                       "-working-directory",
                                       "-z",
                                       NULL};

/* Whoever uses one of these does not want an object; =: only this word, else it begins so. */
static const char *const not_for_us[] = {"=-E",
                                         "=--preprocess",
                                         "=-M",
                                         "=-MM",
                                         "=--dependencies",
                                         "=--user-dependencies",
                                         "-dM",
                                         "-dD",
                                         "-dI",
                                         "-dU",
                                         "-dump",
                                         "-print-",
                                         "--print-",
                                         "=--version",
                                         "=-###",
                                         "--help",
                                         "=-help",
                                         "=-fsyntax-only",
                                         "=-cc1",
                                         "=-cc1as",
                                         "=-emit-ast",
                                         "=-emit-interface-stubs",
                                         "=--precompile",
                                         "=--analyze",
                                         "-ccc-",
                                         "=-extract-api",
                                         "=-verify-pch",
                                         "=-module-file-info",
                                         "-rewrite-",
                                         "=-fdriver-only",
                                         "=-emit-pch",
                                         "=-fmodule-header",
                                         "-fmodule-header=",
                                         NULL};

/* What may stand behind -Xclang to the same effect. */
static const char *const not_for_us_xclang[] = {
    "-ast-", "-emit-", "-dump-", "=-analyze", "=-verify", "=-fsyntax-only", "=-E", NULL};

/* Belong to the step that reads source; the value may be the next word. */
static const char *const source_only[] = {"-MF", "-MT", "-MQ", "-MJ", NULL};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_in(const char *word, const char *const *list)
{
    for (; *list; list++)
        if ((*list)[0] == '=' ? strcmp(word, *list + 1) == 0 : begins(word, *list))
            return true;
    return false;
}

static bool is_exactly_in(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* ---- response files --------------------------------------------------------------------- */

struct expand {
    struct arena *mem;
    word_list out;
};

/* One word by the rules of GNU: quotes of both kinds, a backslash keeps what follows. */
static const char *response_word(struct expand *e, const char *at, const char *end)
{
    struct str word = {0};
    char quote = 0;
    for (; at < end && (quote || !isspace((unsigned char)*at)); at++) {
        if (*at == '\\' && at + 1 < end)
            str_char(&word, *++at);
        else if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else
            str_char(&word, *at);
    }
    vec_push(&e->out, arena_text(e->mem, word.at ? word.at : "", word.len));
    str_done(&word);
    return at;
}

/* A file that cannot be read stays a word, and clang will say what it thinks of it. */
static void expand_word(struct expand *e, const char *word, int depth)
{
    struct bytes file = {0};
    struct err ignored;
    if (word[0] != '@' || depth == 0 || bytes_read(&file, word + 1, &ignored) < 0) {
        vec_push(&e->out, word);
        return;
    }
    struct expand inner = {.mem = e->mem};
    const char *at = (const char *)file.at, *end = at + file.len;
    while (at < end) {
        if (isspace((unsigned char)*at))
            at++;
        else
            at = response_word(&inner, at, end);
    }
    bytes_done(&file);
    for (uint32_t i = 0; i < inner.out.len; i++)
        expand_word(e, inner.out.at[i], depth - 1);
    vec_done(&inner.out);
}

/* ---- languages -------------------------------------------------------------------------- */

static bool is_language(const char *language)
{
    static const char *const ours[] = {"c", "c++", "cpp-output", "c++-cpp-output", NULL};
    return is_exactly_in(language, ours);
}

static bool has_suffix(const char *path, const char *const *list)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && is_exactly_in(dot + 1, list);
}

static bool is_source_name(const char *path)
{
    static const char *const list[] = {"c",   "i",   "cc", "cp",  "cpp", "cxx",
                                       "c++", "CPP", "C",  "CXX", "ii",  NULL};
    return has_suffix(path, list);
}

static bool is_header_name(const char *path)
{
    static const char *const list[] = {"h", "hh", "hp", "hpp", "hxx", "H", "h++", "HPP", NULL};
    return has_suffix(path, list);
}

/* ---- words ------------------------------------------------------------------------------ */

struct parse {
    struct arena *mem;
    struct cc_line *line;
    const word_list *in;
    uint32_t at;
    const char *language; /* of the last -x; NULL: none */
};

static void keep(struct parse *p, const char *word, enum role role)
{
    vec_push(&p->line->words, (struct cc_word){word, role});
}

/* The value of the option `name` in this word or the next one; NULL if the word is something
 * else. The words are kept with the role. */
static const char *value_of(struct parse *p, const char *name, enum role role)
{
    const char *word = p->in->at[p->at];
    if (!begins(word, name))
        return NULL;
    keep(p, word, role);
    if (word[strlen(name)])
        return word + strlen(name);
    if (p->at + 1 == p->in->len)
        return "";
    keep(p, p->in->at[++p->at], role);
    return p->in->at[p->at];
}

static void parse_input(struct parse *p, const char *word)
{
    struct cc_line *line = p->line;
    struct cc_input input = {.path = word, .language = p->language, .word = line->words.len};
    line->is_untouched |= word[0] == '@'; /* a file that is not there */
    input.is_source = p->language ? is_language(p->language) : is_source_name(word);
    line->has_sources |= input.is_source;
    line->has_headers |=
        p->language ? strstr(p->language, "header") != NULL : is_header_name(word);
    vec_push(&line->inputs, input);
    keep(p, word, ROLE_INPUT);
}

static void look_for_link(struct cc_line *line, const char *word)
{
    static const char *const libraries[] = {"-shared", "--shared", "-dynamiclib", "-Wl,-shared",
                                            NULL};
    static const char *const objects[] = {"-r", "-Wl,-r", "-Wl,--relocatable", NULL};
    static const char *const bare[] = {"-nostdlib", "--no-standard-libraries", "-nodefaultlibs",
                                       "-nolibc", NULL};
    static const char *const fixed[] = {"-static", "--static", "-static-pie", NULL};
    if (is_exactly_in(word, libraries))
        line->makes_library = true;
    if (is_exactly_in(word, objects) || line->makes_library)
        line->makes_program = false;
    if (is_exactly_in(word, bare))
        line->wants_no_libc = true;
    if (is_exactly_in(word, fixed))
        line->is_static = true;
    if (begins(word, "-Wl,") &&
        (strstr(word, "-z,defs") || strstr(word, "--no-undefined") || strstr(word, "-zdefs")))
        line->wants_defined = true;
}

static void look_for_debug(struct cc_line *line, const char *word)
{
    static const char *const little[] = {"-g0",
                                         "-g1",
                                         "-ggdb0",
                                         "-ggdb1",
                                         "-gmlt",
                                         "-gline-tables-only",
                                         "-gline-directives-only",
                                         NULL};
    static const char *const much[] = {"=-g",     "=-g2",     "=-g3",    "-ggdb", "-gdwarf",
                                       "=-gfull", "=--debug", "=-glldb", NULL};
    if (is_exactly_in(word, little))
        line->has_debug = false;
    else if (is_in(word, much))
        line->has_debug = true;
}

static bool names_depfile(const char *word)
{
    return begins(word, "-Wp,-MD,") || begins(word, "-Wp,-MMD,");
}

bool cc_asks_depfile(const char *word)
{
    static const char *const asks[] = {"-MD", "-MMD", "--write-dependencies",
                                       "--write-user-dependencies", NULL};
    return is_exactly_in(word, asks) || names_depfile(word);
}

static void look_for_depfile(struct cc_line *line, const char *word)
{
    line->has_depfile |= cc_asks_depfile(word);
    line->has_depfile_name |= names_depfile(word);
    line->has_depfile_name |= begins(word, "-MF");
    line->has_depfile_target |= begins(word, "-MT") || begins(word, "-MQ");
}

/* Words of which one of our own kind takes the place. */
static bool parse_ours(struct parse *p, const char *word)
{
    struct cc_line *line = p->line;
    bool is_object = strcmp(word, "-c") == 0 || strcmp(word, "--compile") == 0;
    if (is_object || strcmp(word, "-S") == 0 || strcmp(word, "--assemble") == 0) {
        line->mode = line->mode == MODE_ASSEMBLY || !is_object ? MODE_ASSEMBLY : MODE_OBJECT;
        keep(p, word, ROLE_OURS);
        return true;
    }
    const char *value = NULL;
    if ((value = value_of(p, "-x", ROLE_OURS)) ||
        (value = value_of(p, "--language", ROLE_OURS)))
        p->language = strcmp(value, "none") == 0 ? NULL : value + (*value == '=');
    else if ((value = value_of(p, "--output", ROLE_OURS)))
        line->output = value + (*value == '=');
    else if (!begins(word, "-obj") && !begins(word, "-output") &&
             (value = value_of(p, "-o", ROLE_OURS)))
        line->output = value;
    return value != NULL;
}

/* What is built for ThreadSanitizer knows that its threads are watched, and tells us what it
 * tells that one; but it is we who watch. Others of the list stay. */
static bool parse_sanitizers(struct parse *p, const char *word)
{
    AUTO(str) struct str rest = {0};
    bool has_thread = false;
    if (!begins(word, "-fsanitize="))
        return false;
    for (const char *at = word + strlen("-fsanitize="); *at;) {
        size_t len = strcspn(at, ",");
        bool is_thread = len == 6 && memcmp(at, "thread", len) == 0;
        has_thread |= is_thread;
        if (!is_thread)
            str_add(&rest, "%s%.*s", rest.len ? "," : "-fsanitize=", (int)len, at);
        at += len + (at[len] == ',');
    }
    if (!has_thread)
        return false;
    keep(p, "-fsanitize=thread", ROLE_FRONT);
    keep(p, "-D__SANITIZE_THREAD__=1", ROLE_FRONT);
    if (rest.len)
        keep(p, arena_text(p->mem, rest.at, rest.len), ROLE_FLAG);
    return true;
}

static void parse_flag(struct parse *p, const char *word)
{
    struct cc_line *line = p->line;
    look_for_link(line, word);
    look_for_debug(line, word);
    look_for_depfile(line, word);
    line->is_untouched |= is_in(word, not_for_us);
    line->emits_llvm |= strcmp(word, "-emit-llvm") == 0;
    if (begins(word, "-O") || begins(word, "--optimize"))
        line->is_optimised = strcmp(word, "-O0") != 0;
    for (const char *const *s = source_only; *s; s++)
        if (value_of(p, *s, ROLE_SOURCE_ONLY))
            return;
    keep(p, word, ROLE_FLAG);
    if (!is_exactly_in(word, separate) || p->at + 1 == p->in->len)
        return;
    const char *value = p->in->at[++p->at];
    keep(p, value, ROLE_FLAG);
    if (strcmp(word, "-Xclang") == 0)
        line->is_untouched |= is_in(value, not_for_us_xclang);
    if (strcmp(word, "-z") == 0)
        line->wants_defined |= strcmp(value, "defs") == 0;
    if (strcmp(word, "-Xlinker") == 0) {
        line->makes_library |= strcmp(value, "-shared") == 0;
        line->makes_program &= !line->makes_library && strcmp(value, "-r") != 0;
        line->wants_defined |=
            strcmp(value, "--no-undefined") == 0 || strcmp(value, "defs") == 0;
    }
}

void cc_parse(struct cc_line *out, struct arena *mem, int argc, char **argv)
{
    struct expand e = {.mem = mem};
    for (int i = 0; i < argc; i++)
        expand_word(&e, argv[i], RESPONSE_DEPTH_MAX);
    *out = (struct cc_line){.makes_program = true};
    struct parse p = {.mem = mem, .line = out, .in = &e.out};
    bool ended = false;
    for (; p.at < e.out.len; p.at++) {
        const char *word = e.out.at[p.at];
        if (ended || word[0] != '-' || word[1] == 0)
            parse_input(&p, word);
        else if (strcmp(word, "--") == 0)
            ended = true;
        else if (!parse_ours(&p, word) && !parse_sanitizers(&p, word))
            parse_flag(&p, word);
    }
    out->is_untouched |= out->has_headers || out->inputs.len == 0;
    if (out->mode != MODE_LINK)
        out->is_untouched |= !out->has_sources || (out->output && out->inputs.len > 1);
    else
        out->is_untouched |= out->emits_llvm;
    vec_done(&e.out);
}

void cc_done(struct cc_line *line)
{
    vec_done(&line->words);
    vec_done(&line->inputs);
}
