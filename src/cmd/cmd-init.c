/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-init: `heddle init`: the two lines that build the project of this directory with Heddle
 * and check its tests. It looks at which files are there and reads none of them. */
#include "cmd/cmd.h"
#include "cmd/options.h"

#include "base/self.h"

#include <string.h>
#include <unistd.h>

struct init_opts {
    bool write;
};

static const struct option_row rows[] = {
    {.type = OPTION_FLAG,
     .name = "write",
     .help = "also write a file for the build system: a preset, a native file",
     .offset = offsetof(struct init_opts, write)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle init",
    .usage = (const char *const[]){"[options] [DIRECTORY]", NULL},
    .about =
        "Prints the two lines that build the project in DIRECTORY (here, without it) with\n"
        "Heddle, in a build directory of its own where the build system has those, and\n"
        "check its tests. Known are CMake, Meson, autotools, Bazel and make.\n",
    .rows = rows,
    .more =
        "--write makes heddle.cmake (a toolchain file) and CMakeUserPresets.json for CMake,\n"
        "heddle.ini (a native file) for Meson; what is there already stays as it is.\n"
        "\n"
        "Exit code: 0; 2 usage; 4 if no build system is found, or a file cannot be\n"
        "written.\n",
    .examples =
        (const struct option_example[]){
            {"heddle init", "two lines to copy"},
            {"eval \"$(heddle init)\"", "the same, done"},
            {NULL, NULL},
        },
};

/* $C and $X stand for the compilers, as one word each where that is possible. */
static const struct system {
    const char *name, *files[4]; /* any of which shows it */
    const char *build, *check;
} systems[] = {
    {"CMake",
     {"CMakeLists.txt"},
     "CC='$C' CXX='$X' cmake -B build-heddle -DCMAKE_BUILD_TYPE=Debug && cmake --build "
     "build-heddle",
     "heddle check -- ctest --test-dir build-heddle"},
    {"Meson",
     {"meson.build"},
     "CC='$C' CXX='$X' meson setup build-heddle && meson compile -C build-heddle",
     "heddle check -- meson test -C build-heddle"},
    {"Bazel",
     {"MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE", "BUILD.bazel"},
     "bazel build --spawn_strategy=local --compilation_mode=dbg --repo_env=CC='$c' "
     "--repo_env=CXX='$x' //...",
     "heddle check -- bazel-bin/PROGRAM"},
    {"autotools",
     {"configure"},
     "mkdir -p build-heddle && (cd build-heddle && ../configure CC='$C' CXX='$X' && make)",
     "heddle check -- make -C build-heddle check"},
    {"autotools, before autoreconf",
     {"configure.ac", "configure.in"},
     "autoreconf -fi && mkdir -p build-heddle && (cd build-heddle && ../configure CC='$C' "
     "CXX='$X' && make)",
     "heddle check -- make -C build-heddle check"},
    {"make",
     {"GNUmakefile", "makefile", "Makefile"},
     "make clean; make CC='$C' CXX='$X'",
     "heddle check -- make check"},
};

enum { SYSTEM_COUNT = sizeof systems / sizeof systems[0] };

static const char *shown_by(const struct system *s)
{
    for (unsigned i = 0; i < sizeof s->files / sizeof s->files[0]; i++)
        if (s->files[i] && access(s->files[i], F_OK) == 0)
            return s->files[i];
    return NULL;
}

/* ---- compilers -------------------------------------------------------------------------- */

struct compilers {
    struct str cc, cxx; /* as words of a shell inside quotes */
    bool is_word;       /* each is one word */
};

/* Is the name found by PATH, and is it ours? */
static bool is_in_path(const char *name, const char *self)
{
    const char *path = getenv("PATH");
    AUTO(str) struct str file = {0};
    char real[4096];
    for (const char *at = path ? path : ""; *at;) {
        size_t len = strcspn(at, ":");
        file.len = 0;
        str_add(&file, "%.*s/%s", (int)len, at, name);
        if (access(file.at, X_OK) == 0)
            return realpath(file.at, real) && strcmp(real, self) == 0;
        at += len + (at[len] == ':');
    }
    return false;
}

static void find_compilers(struct compilers *out)
{
    AUTO(str) struct str self = {0}, beside = {0};
    self_path(&self);
    const char *slash = self.len > 0 ? strrchr(self.at, '/') : NULL;
    int len = slash ? (int)(slash - self.at) : 0;
    out->is_word = true;
    if (is_in_path("heddle-cc", self.at) && is_in_path("heddle-c++", self.at)) {
        str_add(&out->cc, "heddle-cc");
        str_add(&out->cxx, "heddle-c++");
        return;
    }
    str_add(&beside, "%.*s/heddle-cc", len, self.at);
    out->is_word = access(beside.at, X_OK) == 0 && !strpbrk(self.at, " '");
    const char *between = out->is_word ? "-" : " ";
    str_add(&out->cc, "%s%scc", self.at, between);
    str_add(&out->cxx, "%s%sc++", self.at, between);
}

/* Bazel wants a path. */
static void add_path(struct str *out, const char *name)
{
    AUTO(str) struct str self = {0};
    self_path(&self);
    const char *slash = self.len > 0 ? strrchr(self.at, '/') : NULL;
    if (strchr(name, '/'))
        str_add(out, "%s", name);
    else
        str_add(out, "%.*s/%s", slash ? (int)(slash - self.at) : 0, self.at, name);
}

static void add_line(struct str *out, const char *line, const struct compilers *c)
{
    AUTO(str) struct str self = {0};
    self_path(&self);
    bool is_found = is_in_path("heddle", self.at);
    if (strncmp(line, "heddle ", 7) == 0 && !is_found) {
        str_add(out, "%s", self.at);
        line += 6;
    }
    for (const char *p = line; *p; p++) {
        bool is_mark = *p == '$' && strchr("CXcx", p[1]) && p[1];
        if (!is_mark) {
            str_char(out, *p);
            continue;
        }
        const struct str *name = *++p == 'C' || *p == 'c' ? &c->cc : &c->cxx;
        if (*p == 'c' || *p == 'x')
            add_path(out, name->at);
        else
            str_add(out, "%s", name->at);
    }
    str_char(out, '\n');
}

/* ---- files ------------------------------------------------------------------------------ */

static int write_new(const char *path, const struct str *text, struct err *err)
{
    if (access(path, F_OK) == 0) {
        cmd_note("%s is there already; it was left as it is", path);
        return 0;
    }
    if (file_write(path, text->at, text->len, err) < 0)
        return -1;
    cmd_note("%s written", path);
    return 0;
}

static int write_cmake(const struct compilers *c, struct err *err)
{
    AUTO(str) struct str chain = {0}, presets = {0};
    str_add(&chain,
            "# Compiles with Heddle: cmake --toolchain heddle.cmake, or --preset heddle\n"
            "set(CMAKE_C_COMPILER %s)\nset(CMAKE_CXX_COMPILER %s)\n",
            c->cc.at, c->cxx.at);
    str_add(
        &presets,
        "{\n  \"version\": 3,\n  \"configurePresets\": [\n    {\n"
        "      \"name\": \"heddle\",\n      \"binaryDir\": \"${sourceDir}/build-heddle\",\n"
        "      \"toolchainFile\": \"${sourceDir}/heddle.cmake\",\n"
        "      \"cacheVariables\": {\"CMAKE_BUILD_TYPE\": \"Debug\"}\n    }\n  ],\n"
        "  \"buildPresets\": [{\"name\": \"heddle\", \"configurePreset\": \"heddle\"}],\n"
        "  \"testPresets\": [{\"name\": \"heddle\", \"configurePreset\": \"heddle\"}]\n}\n");
    return write_new("heddle.cmake", &chain, err) < 0
               ? -1
               : write_new("CMakeUserPresets.json", &presets, err);
}

static int write_meson(const struct compilers *c, struct err *err)
{
    AUTO(str) struct str text = {0};
    str_add(&text,
            "# Compiles with Heddle: meson setup build-heddle --native-file heddle.ini\n"
            "[binaries]\nc = '%s'\ncpp = '%s'\n",
            c->cc.at, c->cxx.at);
    return write_new("heddle.ini", &text, err);
}

/* A compiler of two words has no place in those files. */
static int write_files(const struct system *s, const struct compilers *c, struct err *err)
{
    bool is_cmake = strcmp(s->name, "CMake") == 0, is_meson = strcmp(s->name, "Meson") == 0;
    if (!is_cmake && !is_meson) {
        cmd_note("%s needs no file", s->name);
        return 0;
    }
    if (!c->is_word)
        return err_set(err, "there is no heddle-cc beside this program; `make install` puts it "
                            "there");
    return is_cmake ? write_cmake(c, err) : write_meson(c, err);
}

static int tell(const struct system *s, const struct init_opts *o)
{
    AUTO(str) struct str out = {0};
    struct compilers c = {0};
    struct err err;
    find_compilers(&c);
    int code = EXIT_GOOD;
    if (o->write && write_files(s, &c, &err) < 0)
        code = cmd_fail(EXIT_WORLD, &err);
    add_line(&out, s->build, &c);
    add_line(&out, s->check, &c);
    str_done(&c.cc);
    str_done(&c.cxx);
    int printed = cmd_print(&out);
    return printed == EXIT_GOOD ? code : printed;
}

static int run(int argc, char **argv)
{
    struct init_opts opts = {0};
    struct err err;
    int words, done = cmd_parse(&table, &opts, argc, argv, &words);
    if (done != GO_ON)
        return done;
    if (words > 1)
        return cmd_too_much(argv[1], "heddle init");
    if (words == 1 && chdir(argv[0]) < 0) {
        err_sys(&err, "%s", argv[0]);
        return cmd_fail(EXIT_WORLD, &err);
    }
    const struct system *found = NULL;
    for (unsigned i = 0; i < SYSTEM_COUNT; i++) {
        const char *file = shown_by(&systems[i]);
        if (file)
            cmd_note("%s%s (%s)", found ? "also here: " : "", systems[i].name, file);
        if (file && !found)
            found = &systems[i];
    }
    if (found)
        return tell(found, &opts);
    if (access("compile_commands.json", F_OK) == 0 ||
        access("build/compile_commands.json", F_OK) == 0)
        cmd_note(
            "compile_commands.json is here: sources that it names are compiled as it says");
    cmd_note(
        "no build system that is known is here: no CMakeLists.txt, meson.build, configure, "
        "MODULE.bazel or Makefile; of a few sources: heddle check FILE ... -- ARGUMENTS");
    return EXIT_WORLD;
}

const struct command cmd_init = {.name = "init",
                                 .help = "the two lines that build this project",
                                 .table = &table,
                                 .run = run};
