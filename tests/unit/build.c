/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs made again with other contents: what comes out is the new program, and the user's
 * files stay as they are. */
#include "test.h"

#include "base/io.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char heddle[4096], top[4096];

/* An empty directory below $TMPDIR, and we are in it. */
static void enter(const char *name)
{
    const char *temp = getenv("TMPDIR");
    if (!heddle[0])
        EXPECT(realpath("build/heddle", heddle) != NULL ||
               realpath("build-san/heddle", heddle));
    snprintf(top, sizeof top, "%s/%s", temp ? temp : "/tmp", name);
    EXPECT(mkdir(top, 0777) == 0 && chdir(top) == 0 && mkdir("scratch", 0777) == 0);
}

static void put(const char *path, const char *text)
{
    struct err err;
    EXPECT(file_write(path, text, strlen(text), &err) == 0);
}

/* sh -c, with $H for the command; its first line of output. */
static const char *sh(const char *command)
{
    static char line[256];
    setenv("H", heddle, 1);
    FILE *f = popen(command, "r"); /* NOLINT: a test's own text */
    line[0] = 0;
    if (f && fgets(line, sizeof line, f))
        line[strcspn(line, "\n")] = 0;
    EXPECT(f && pclose(f) == 0);
    return line;
}

/* What the program prints once these files have these contents; else the message. */
static const char *prints(const char *program, const struct build_overlay *overlay,
                          uint32_t count, const char *command)
{
    static char line[600];
    struct err err = {{0}};
    AUTO(str) struct str path = {0};
    struct build_opts opts = {.scratch = "scratch",
                              .overlay = overlay,
                              .overlay_count = count,
                              .command = command,
                              .heddle = heddle};
    if (build_program(&path, program, &opts, &err) != 0) {
        snprintf(line, sizeof line, "%s", err.text);
        return line;
    }
    return sh(path.at);
}

#define MAIN "#include <stdio.h>\n#include \"n.h\"\nint f(void);\n"
#define OVER(path, literal) ((struct build_overlay){path, TEXT(literal)})

TEST(one_line_that_compiles_and_links)
{
    enter("one");
    put("a.c", "#include <stdio.h>\nint main(void) { puts(\"old\"); return 0; }\n");
    sh("$H cc a.c -o a");
    struct build_overlay o =
        OVER("a.c", "#include <stdio.h>\nint main(void) { puts(\"new\"); }\n");
    EXPECT_STR("new", prints("a", &o, 1, NULL));
    EXPECT_STR("old", sh("./a"));
    EXPECT_STR("old", prints("a", NULL, 0, NULL));
}

TEST(objects_and_a_header_in_other_directories)
{
    enter("objects");
    EXPECT(mkdir("sub", 0777) == 0 && mkdir("include", 0777) == 0);
    put("include/n.h", "#define N 1\n");
    put("a.c", MAIN "int main(void) { printf(\"%d %d\\n\", N, f()); return 0; }\n");
    put("sub/f.c", "#include \"n.h\"\nint f(void) { return 10 * N; }\n");
    sh("$H cc -MD -Iinclude -c a.c -o a.o && cd sub && $H cc -MD -I../include -c f.c &&"
       "cd .. && rm *.d sub/*.d && $H cc a.o sub/f.o -o a");
    struct build_overlay o = OVER("include/n.h", "#define N 2\n");
    EXPECT_STR("2 20", prints("a", &o, 1, NULL));
    EXPECT_STR("1 10", sh("./a"));
    EXPECT_STR("", sh("ls | grep '[.]d$' || true"));
    EXPECT_STR("", sh("ls sub | grep '[.]d$' || true"));
}

TEST(an_archive_gets_the_new_object)
{
    enter("archive");
    put("n.h", "#define N 1\n");
    put("a.c", MAIN "int main(void) { printf(\"%d\\n\", f()); return 0; }\n");
    put("f.c", "int f(void) { return 1; }\n");
    sh("$H cc -c f.c && ar rc libf.a f.o && rm f.o && $H cc a.c libf.a -o a");
    struct build_overlay o = OVER("f.c", "int f(void) { return 2; }\n");
    EXPECT_STR("2", prints("a", &o, 1, NULL));
    EXPECT_STR("1", sh("./a"));
}

TEST(an_archive_is_found_by_l_and_L)
{
    enter("named");
    put("n.h", "#define N 1\n");
    put("a.c", MAIN "int main(void) { printf(\"%d\\n\", f()); return 0; }\n");
    put("f.c", "int f(void) { return 1; }\n");
    EXPECT(mkdir("lib", 0777) == 0 && mkdir("none", 0777) == 0);
    sh("$H cc -c f.c && ar rc lib/libf.a f.o && rm f.o");
    struct build_overlay o = OVER("f.c", "int f(void) { return 2; }\n");
    sh("$H cc a.c -Lnone -Llib -lf -lm -o a");
    EXPECT_STR("2", prints("a", &o, 1, NULL));
    sh("$H cc a.c -L lib -l:libf.a -o b");
    EXPECT_STR("2", prints("b", &o, 1, NULL));
    EXPECT_STR("1", sh("./a"));
}

/* Both archives have an object f.o: the one goes where the other is not. */
TEST(of_archives_with_members_of_one_name_each_gets_its_own)
{
    enter("namesakes");
    put("n.h", "int g(void);\n");
    put("a.c", MAIN "int main(void) { printf(\"%d %d\\n\", f(), g()); return 0; }\n");
    EXPECT(mkdir("one", 0777) == 0 && mkdir("two", 0777) == 0);
    put("one/f.c", "int f(void) { return 1; }\n");
    put("two/f.c", "int g(void) { return 1; }\n");
    sh("for d in one two; do (cd $d && $H cc -c f.c && ar rc lib$d.a f.o); done;"
       "$H cc a.c -Lone -Ltwo -lone -ltwo -o a");
    struct build_overlay o = OVER("two/f.c", "int g(void) { return 2; }\n");
    EXPECT_STR("1 2", prints("a", &o, 1, NULL));
    o = OVER("one/f.c", "int f(void) { return 3; }\n");
    EXPECT_STR("3 1", prints("a", &o, 1, NULL));
}

TEST(an_object_that_the_line_does_not_name_asks_for_the_command)
{
    enter("library");
    put("n.h", "#define N 1\n");
    put("a.c", MAIN "int main(void) { printf(\"%d\\n\", f()); return 0; }\n");
    put("f.c", "int f(void) { return 1; }\n");
    put("build.sh",
        "$H cc -c f.c && ar rc libf.a f.o && $H cc a.c -L. -lf -o a && rm libf.a\n");
    sh("sh build.sh");
    struct build_overlay o = OVER("f.c", "int f(void) { return 3; }\n");
    EXPECT(strstr(prints("a", &o, 1, NULL), "--build CMD") != NULL);
    EXPECT_STR("3", prints("a", &o, 1, "sh build.sh"));
    EXPECT_STR("1", sh("./a"));
}

TEST(what_nobody_reads_and_what_does_not_compile_is_said)
{
    enter("said");
    put("a.c", "int main(void) { return 0; }\n");
    sh("$H cc a.c -o a");
    struct build_overlay o = OVER("other.c", "int f;\n");
    EXPECT(strstr(prints("a", &o, 1, NULL), "no source of a reads it") != NULL);
    o = OVER("a.c", "int main(void) { return x; }\n");
    EXPECT(strstr(prints("a", &o, 1, NULL), "a.c:1:25: error") != NULL);
    EXPECT(strstr(prints("/bin/true", NULL, 0, NULL), "heddle cc") != NULL);
}

/* The command makes a program, but of another file than the one that was laid over, or of an
 * object that is older. */
TEST(a_build_that_does_not_compile_the_change_is_noticed)
{
    enter("stale");
    put("a.c", "#include <stdio.h>\nint main(void) { puts(\"old\"); return 0; }\n");
    put("b.h", "#define WORD \"old\"\n");
    put("b.c", "#include \"b.h\"\nconst char *word(void) { return WORD; }\n");
    sh("$H cc a.c b.c -o a");
    struct build_overlay a =
        OVER("a.c", "#include <stdio.h>\nint main(void) { puts(\"new\"); }\n");
    put("old.c", "#include <stdio.h>\nint main(void) { puts(\"old\"); return 0; }\n");
    EXPECT_STR("new", prints("a", &a, 1, "$H cc a.c b.c -o a"));
    EXPECT(strstr(prints("a", &a, 1, "$H cc old.c b.c -o a"), "no unit of the program is"));
    struct build_overlay b = OVER("b.h", "#define WORD \"new\"\n");
    EXPECT_STR("old", prints("a", &b, 1, "$H cc a.c b.c -o a"));
    sh("$H cc -c b.c");
    EXPECT(strstr(prints("a", &b, 1, "$H cc a.c b.o -o a"), "is made of another text of"));
}
