/* SPDX-License-Identifier: Apache-2.0
 *
 * parse-args: from the compiler's command line to libclang's. */
#include "source/parse.h"

#include "base/self.h"

#include <string.h>

/* Those of the compiler's words that say how to read the text; the others say what is to be
 * made of it. */
static bool is_with_value(const char *word)
{
    static const char *const list[] = {"-I",       "-D",       "-U",         "-include",
                                       "-isystem", "-iquote",  "-idirafter", "-x",
                                       "-Xclang",  "-imacros", "--sysroot",  "-isysroot"};
    for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static bool is_dropped_with_value(const char *word)
{
    static const char *const list[] = {"-o", "-MF", "-MT", "-MQ", "-Xlinker", "-L", "-l"};
    for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static bool is_dropped(const char *word)
{
    static const char *const list[] = {"-c", "-S", "-E", "-Werror", "-pipe"};
    static const char *const begin[] = {"-o", "-M", "-Wl,", "-Werror=", "-L", "-l", "-save"};
    for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    for (unsigned i = 0; i < sizeof begin / sizeof begin[0]; i++)
        if (strncmp(word, begin[i], strlen(begin[i])) == 0)
            return true;
    return word[0] != '-' || word[1] == 0;
}

static bool is_cxx_name(const char *source)
{
    static const char *const list[] = {".cc", ".cpp", ".cxx", ".c++", ".C", ".CC", ".cp"};
    const char *dot = strrchr(source, '.');
    for (unsigned i = 0; dot && i < sizeof list / sizeof list[0]; i++)
        if (strcmp(dot, list[i]) == 0)
            return true;
    return false;
}

/* `heddle cc` finds heddle/annotate.h behind all that the user names: so do we. */
static void add_include(struct parse *p, parse_args *out)
{
    AUTO(str) struct str found = {0};
    if (!self_find(&found, "../include", "heddle/annotate.h"))
        return;
    vec_push(out, "-idirafter");
    vec_push(out, arena_text(&p->u->mem, found.at, found.len));
}

void parse_words(struct parse *p, parse_args *out)
{
    const char *driver = p->opts->args && p->opts->args[0] ? p->opts->args[0] : "cc";
    p->u->is_cxx = is_cxx_name(p->opts->source) || strstr(driver, "++") != NULL;
    for (char *const *a = p->opts->args; a && *a && a[1]; a++) {
        const char *word = a[1];
        if (is_with_value(word) && a[2]) {
            vec_push(out, word);
            vec_push(out, a[2]);
            p->u->is_cxx |= strcmp(word, "-x") == 0 && strcmp(a[2], "c++") == 0;
            a++;
        } else if (is_dropped_with_value(word) && a[2]) {
            a++;
        } else if (!is_dropped(word)) {
            vec_push(out, word);
        }
    }
    if (p->u->is_cxx && !is_cxx_name(p->opts->source)) {
        vec_push(out, "-x");
        vec_push(out, "c++");
    }
    add_include(p, out);
    vec_push(out, "-Wall");
    vec_push(out, "-Wextra");
    struct str directory = {0};
    str_add(&directory, "-working-directory=%s", p->opts->directory);
    vec_push(out, arena_text(&p->u->mem, directory.at, directory.len));
    str_done(&directory);
}
