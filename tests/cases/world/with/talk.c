// SPDX-License-Identifier: Apache-2.0
// A small client: talk tcp|udp PORT STEP ..., or talk unix NAME STEP ...
// A step is about connection 0 to 9, made when it is first named:
//   0>LINE  sends the line      0<LINE  reads a line, which must be this one
//   0<      reads any line      0<!1    reads one for 0 and one for 1, which must differ
//   0.      closes it           crash   ends by SIGSEGV
// Connections 5 to 9 lead to the port behind that one.
// Or it answers: talk serve PORT N gives back each of N datagrams, with "re: " before it.
// Or: talk answer PORT|NAME N gives back each line of N connections, with "re: " before it;
// behind the line "bye" it closes, and behind "reset" it does so at once.
// What does not come within a second, or is another line, ends it with exit code 1.
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECTIONS = 10, LINE = 256 };
static int fds[CONNECTIONS];
static const char *kind, *where;

static void fail(const char *what, const char *about)
{
    fprintf(stderr, "talk: %s: %s\n", about, what);
    exit(1);
}

static int reach(int number)
{
    struct sockaddr_in inet = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int is_unix = strcmp(kind, "unix") == 0;
    int fd = socket(is_unix ? AF_UNIX : AF_INET,
                    strcmp(kind, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM, 0);
    struct timeval patience = {1, 0};
    inet.sin_port = htons((unsigned short)(atoi(where) + number / 5));
    strncpy(name.sun_path, where, sizeof name.sun_path - 1);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct sockaddr *to = is_unix ? (struct sockaddr *)&name : (struct sockaddr *)&inet;
    if (connect(fd, to, is_unix ? sizeof name : sizeof inet) < 0)
        fail("cannot connect", where);
    return fd;
}

static int at(int number)
{
    if (fds[number] < 0)
        fds[number] = reach(number);
    return fds[number];
}

static void take_line(int number, char *line, const char *about)
{
    int len = 0, is_whole = strcmp(kind, "udp") == 0;
    while (len < LINE - 1) {
        ssize_t n =
            is_whole ? recv(at(number), line, LINE - 1, 0) : read(at(number), line + len, 1);
        if (n <= 0)
            fail("no answer", about);
        len += (int)n;
        if (line[len - 1] == '\n')
            break;
    }
    line[len] = 0;
    line[strcspn(line, "\n")] = 0;
}

static void step(const char *text)
{
    char line[LINE], other[LINE];
    int number = text[0] - '0';
    if (strcmp(text, "crash") == 0)
        raise(SIGSEGV);
    if (number < 0 || number >= CONNECTIONS)
        fail("no such step", text);
    if (text[1] == '>') {
        snprintf(line, sizeof line, "%s\n", text + 2);
        if (send(at(number), line, strlen(line), MSG_NOSIGNAL) < 0)
            fail("cannot send", text);
    } else if (text[1] == '<') {
        take_line(number, line, text);
        if (text[2] == '!')
            take_line(text[3] - '0', other, text);
        if (text[2] == '!' ? strcmp(line, other) == 0 : text[2] && strcmp(line, text + 2) != 0)
            fail(line, text);
    } else {
        close(at(number));
        fds[number] = -1;
    }
}

static int serve(int count)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from;
    char line[LINE] = "re: ";
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    own.sin_port = htons((unsigned short)atoi(where));
    if (bind(fd, (struct sockaddr *)&own, sizeof own) < 0)
        fail("cannot bind", where);
    while (count-- > 0) {
        socklen_t len = sizeof from;
        ssize_t n = recvfrom(fd, line + 4, LINE - 4, 0, (struct sockaddr *)&from, &len);
        if (n < 0 || sendto(fd, line, (size_t)n + 4, 0, (struct sockaddr *)&from, len) < 0)
            fail("no talk", where);
    }
    return 0;
}

/* False: it is over. */
static int answer_line(FILE *in, int fd)
{
    char line[LINE], said[LINE + 8];
    struct linger now = {1, 0};
    if (!fgets(line, sizeof line, in))
        return 0;
    snprintf(said, sizeof said, "re: %s", line);
    if (send(fd, said, strlen(said), MSG_NOSIGNAL) < 0)
        return 0;
    if (strcmp(line, "reset\n") == 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    return strcmp(line, "bye\n") != 0 && strcmp(line, "reset\n") != 0;
}

static int answer(int count)
{
    struct sockaddr_in inet = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int is_unix = atoi(where) == 0, one = 1;
    int fd = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    inet.sin_port = htons((unsigned short)atoi(where));
    strncpy(name.sun_path, where, sizeof name.sun_path - 1);
    if (is_unix)
        unlink(where);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, is_unix ? (struct sockaddr *)&name : (struct sockaddr *)&inet,
             is_unix ? sizeof name : sizeof inet) < 0 ||
        listen(fd, CONNECTIONS) < 0)
        fail("cannot listen", where);
    for (int i = 0; i < count; i++) {
        int own = accept(fd, NULL, NULL);
        if (fork() == 0) {
            FILE *in = fdopen(own, "r");
            while (answer_line(in, own))
                ;
            _exit(0);
        }
        close(own);
    }
    while (wait(NULL) > 0)
        ;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    kind = argv[1];
    where = argv[2];
    if (strcmp(kind, "serve") == 0)
        return serve(argc > 3 ? atoi(argv[3]) : 1);
    if (strcmp(kind, "answer") == 0)
        return answer(argc > 3 ? atoi(argv[3]) : 1);
    memset(fds, -1, sizeof fds);
    for (int i = 3; i < argc; i++)
        step(argv[i]);
    return 0;
}
