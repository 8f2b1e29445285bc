// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// What was written before word of it went through a pipe is read after that came out: by read,
// through a stream, from a pair of sockets, and in pieces.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], stream[2], sockets[2], pieces[2];
static int by_read, by_stream, by_socket, by_pieces;

static void tell(int fd, const char *word, size_t len)
{
    if (write(fd, word, len) != (ssize_t)len)
        abort();
}

static void *produce(void *arg)
{
    by_read = 1;
    tell(ends[1], "r", 1);
    by_stream = 2;
    tell(stream[1], "s\n", 2);
    by_socket = 3;
    if (send(sockets[1], "t", 1, 0) != 1)
        abort();
    tell(pieces[1], "ab", 2);
    by_pieces = 4;
    tell(pieces[1], "cd", 2);
    return arg;
}

static void *consume(void *arg)
{
    char word[8], *got;
    FILE *in = fdopen(stream[0], "r");
    if (read(ends[0], word, 1) != 1)
        abort();
    int sum = by_read;
    got = fgets(word, sizeof word, in);
    sum += got ? by_stream : 0;
    if (recv(sockets[0], word, 1, 0) != 1)
        abort();
    sum += by_socket;
    for (size_t done = 0; done < 3;) {
        ssize_t n = read(pieces[0], word, 3 - done);
        if (n <= 0)
            abort();
        done += (size_t)n;
    }
    sum += by_pieces;
    printf("%d\n", sum);
    fclose(in);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    if (pipe(ends) < 0 || pipe(stream) < 0 || pipe(pieces) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0)
        return 1;
    pthread_create(&t[0], NULL, produce, NULL);
    pthread_create(&t[1], NULL, consume, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
