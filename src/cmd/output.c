/* SPDX-License-Identifier: Apache-2.0
 *
 * output: what a command says and writes. Every write is looked at: a full disk is an error
 * with a message, a reader that went away ends the command quietly. */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

int cmd_fail(int code, const struct err *err)
{
    fprintf(stderr, "heddle: %s\n", err->text);
    return code;
}

void cmd_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("heddle: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int output_open(struct output *out, const char *path, struct err *err)
{
    struct output o = {.path = path, .fd = STDOUT_FILENO};
    struct stat st;
    if (strcmp(path, "-") != 0) {
        bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
        if (!special && strlen(path) + sizeof ".part" > sizeof o.temp)
            return err_set(err, "%.100s...: path too long", path);
        if (!special)
            snprintf(o.temp, sizeof o.temp, "%s.part", path);
        o.fd = open(special ? path : o.temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (o.fd < 0)
            return err_sys(err, "%s", path);
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
    if (o->temp[0] && rename(o->temp, o->path) < 0)
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
