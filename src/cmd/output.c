/* SPDX-License-Identifier: Apache-2.0
 *
 * output: what a command says and writes. Every write is looked at: a full disk is an error
 * with a message, a reader that went away ends the command quietly. */
#include "cmd/cmd.h"
#include "cmd/options.h"

#include "base/arena.h"
#include "base/stop.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

enum { LINKS_MAX = 40, TEMPS_MAX = 1000, NOTE_MAX_BYTES = 8192 };

/* Bytes of the UTF-8 character at t's start; 0 if there is none. C1 controls are two bytes. */
static uint32_t character_len(struct text t)
{
    uint8_t first = (uint8_t)t.at[0];
    uint32_t len = first < 0x80                    ? 1
                   : first >= 0xc2 && first < 0xe0 ? 2
                   : first >= 0xe0 && first < 0xf0 ? 3
                   : first >= 0xf0 && first < 0xf5 ? 4
                                                   : 0;
    if (len > t.len)
        return 0;
    for (uint32_t i = 1; i < len; i++)
        if (((uint8_t)t.at[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

static bool is_control(struct text character)
{
    uint8_t first = (uint8_t)character.at[0];
    return first < ' ' || first == 0x7f || (first == 0xc2 && (uint8_t)character.at[1] < 0xa0);
}

void add_clean(struct str *out, struct text t)
{
    while (t.len > 0) {
        uint32_t len = character_len(t);
        if (len == 0 || is_control((struct text){t.at, len}))
            str_char(out, '?');
        else
            str_bytes(out, t.at, len);
        len = len > 0 ? len : 1;
        t = (struct text){t.at + len, t.len - len};
    }
}

static void say(const char *message)
{
    AUTO(str) struct str line = {0};
    str_add(&line, "heddle: ");
    add_clean(&line, text_of(message));
    fprintf(stderr, "%s\n", line.at);
}

void cmd_note(const char *format, ...)
{
    char message[NOTE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    say(message);
}

/* Once, though several parts of a command may notice. */
static void say_stopped(const char *more)
{
    static bool is_said;
    if (is_said || !stop_signal())
        return;
    is_said = true;
    if (stop_came())
        cmd_note("stopped early by SIG%s%s", sigabbrev_np(stop_came()), more);
    else if (stop_was_cut() == STOP_MEMORY)
        cmd_note("stopped early: the %llu MB of memory were used (--memory)%s",
                 (unsigned long long)stop_memory_bytes() >> 20, more);
    else
        cmd_note("stopped early: the %llu s of time were spent (--time)%s",
                 (unsigned long long)(stop_budget_ms() + 999) / 1000, more);
}

int cmd_stopped(int code)
{
    say_stopped(": this is what was found until then");
    return stop_code(code);
}

void cmd_json_stopped(struct json *j)
{
    if (!stop_signal())
        return;
    json_put_bool(j, "stopped_early", true);
}

int cmd_fail(int code, const struct err *err)
{
    if (stop_signal())
        say_stopped("");
    else
        say(err->text);
    return stop_code(stop_signal() ? EXIT_UNDECIDED : code);
}

int cmd_too_much(const char *word, const char *command)
{
    cmd_note("'%s' is one argument too many; see '%s --help'", word, command);
    return EXIT_USAGE;
}

const char *cmd_why_not_ours(const struct run_program *p)
{
    if (!p->is_elf)
        return "no program for x86_64; build one with heddle cc";
    if (!p->is_dynamic)
        return "linked with -static, where Heddle cannot work";
    return "not built with Heddle; build it with CC=\"heddle cc\" CXX=\"heddle c++\"";
}

void cmd_begins_before(char *const *argv, bool in_place)
{
    const char *slash = strrchr(argv[0], '/');
    if (!in_place && run_begins_before_last(argv))
        cmd_note("runs find the files as they were before %s.heddle/runs/last; --in-place: as "
                 "they are",
                 slash ? slash + 1 : argv[0]);
}

int cmd_not_ours(const char *program)
{
    AUTO(run_program) struct run_program p = {0};
    struct err err;
    if (run_program_read(&p, program, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    cmd_note("%s: %s", program, cmd_why_not_ours(&p));
    return EXIT_WORLD;
}

/* Follows links as far as there are any: what is renamed to a link's name takes its place. */
static int find_target(struct output *o, struct err *err)
{
    char link[sizeof o->target];
    ssize_t len;
    if (strlen(o->path) >= sizeof o->target)
        return err_set(err, "%.100s...: path too long", o->path);
    memcpy(o->target, o->path, strlen(o->path) + 1);
    for (unsigned i = 0; (len = readlink(o->target, link, sizeof link)) >= 0; i++) {
        const char *slash = link[0] == '/' ? NULL : strrchr(o->target, '/');
        size_t keep = slash ? (size_t)(slash + 1 - o->target) : 0;
        if (i == LINKS_MAX || keep + (size_t)len >= sizeof o->target)
            return err_set(err, "%.100s: too many links, or too long ones", o->path);
        memcpy(o->target + keep, link, (size_t)len);
        o->target[keep + (size_t)len] = 0;
    }
    return 0;
}

/* A file of our own beside the target: whatever is called so already is somebody else's. */
static int create_temp(struct output *o, struct err *err)
{
    for (unsigned i = 1; i <= TEMPS_MAX; i++) {
        snprintf(o->temp, sizeof o->temp, i == 1 ? "%s.part" : "%s.part%u", o->target, i);
        o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return err_sys(err, "%s", o->path);
}

int output_open(struct output *out, const char *path, struct err *err)
{
    struct output o = {.path = path, .fd = STDOUT_FILENO};
    struct stat st;
    if (strcmp(path, "-") == 0) {
        *out = o;
        return 0;
    }
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        o.fd = open(path, O_WRONLY | O_CLOEXEC);
        if (o.fd < 0)
            return err_sys(err, "%s", path);
    } else if (find_target(&o, err) < 0 || create_temp(&o, err) < 0) {
        return -1;
    }
    *out = o;
    return 0;
}

static int output_fault(struct output *o, struct err *err)
{
    o->failed = true;
    o->reader_gone = errno == EPIPE;
    return err_sys(err, "%s", o->fd == STDOUT_FILENO ? "standard output" : o->path);
}

int output_bytes(struct output *o, const void *data, size_t len, struct err *err)
{
    const char *at = data;
    while (len > 0) {
        ssize_t n = write(o->fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return output_fault(o, err);
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int output_text(void *arg, struct str *text, struct err *err)
{
    size_t len = text->len;
    text->len = 0;
    return output_bytes(arg, text->at, len, err);
}

int output_finish(struct output *o, struct err *err)
{
    int fd = o->fd;
    if (fd == STDOUT_FILENO)
        return 0;
    o->fd = -1;
    if (close(fd) < 0)
        return output_fault(o, err);
    if (o->temp[0] && rename(o->temp, o->target) < 0)
        return output_fault(o, err);
    o->temp[0] = 0;
    return 0;
}

void output_close(struct output *o)
{
    if (o->fd > STDERR_FILENO)
        close(o->fd);
    if (o->temp[0])
        unlink(o->temp);
}

int cmd_print(struct str *text)
{
    struct output o;
    struct err err;
    if (output_open(&o, "-", &err) < 0 || output_text(&o, text, &err) < 0)
        return o.reader_gone ? EXIT_PIPE : cmd_fail(EXIT_WORLD, &err);
    return EXIT_GOOD;
}

int cmd_help(const struct option_table *table)
{
    AUTO(str) struct str text = {0};
    options_help(table, &text);
    return cmd_print(&text);
}

int cmd_own_words(int argc, char **argv)
{
    int own = 0;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    return own;
}

int cmd_parse(const struct option_table *table, void *into, int argc, char **argv, int *words)
{
    struct err err;
    int state = options_parse(table, 0, into, argc, argv, words, &err);
    if (state < 0)
        return cmd_fail(EXIT_USAGE, &err);
    return state == OPTIONS_WANT_HELP ? cmd_help(table) : GO_ON;
}
