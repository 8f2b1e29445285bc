/* SPDX-License-Identifier: Apache-2.0
 *
 * A web server with three workers and two clients on loopback. Each answer carries a number
 * that no other one may have: the handler counts under a lock, the clients compare. */
#include <arpa/inet.h>
#include <civetweb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2, REQUESTS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served, seen[CLIENTS * REQUESTS + 1], port;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static int answer(struct mg_connection *c, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int number = ++served;
    pthread_mutex_unlock(&lock);
    char body[32];
    int length = snprintf(body, sizeof body, "number %d", number);
    mg_printf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", length,
              body);
    return 200;
}

static int ask(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    const char *request = "GET /number HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
    char text[1024];
    size_t got = 0;
    ssize_t n;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(connect(fd, (struct sockaddr *)&to, sizeof to) == 0, "connect");
    must(write(fd, request, strlen(request)) == (ssize_t)strlen(request), "write");
    while (got < sizeof text - 1 && (n = read(fd, text + got, sizeof text - 1 - got)) > 0)
        got += (size_t)n;
    text[got] = 0;
    close(fd);
    const char *number = strstr(text, "\r\n\r\nnumber ");
    must(number != NULL, "no answer");
    return atoi(number + strlen("\r\n\r\nnumber "));
}

static void *ask_all(void *unused)
{
    for (int i = 0; i < REQUESTS; i++) {
        int number = ask();
        pthread_mutex_lock(&lock);
        must(number >= 1 && number <= CLIENTS * REQUESTS && !seen[number],
             "a number came twice");
        seen[number] = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    const char *options[] = {"listening_ports", "127.0.0.1:0", "num_threads", "3", NULL};
    struct mg_callbacks callbacks = {0};
    struct mg_server_port ports[2];
    pthread_t clients[CLIENTS];
    mg_init_library(0);
    struct mg_context *server = mg_start(&callbacks, NULL, options);
    must(server != NULL, "the server does not start");
    mg_set_request_handler(server, "/number", answer, NULL);
    must(mg_get_server_ports(server, 2, ports) == 1, "no port");
    port = ports[0].port;
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, ask_all, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    mg_stop(server);
    mg_exit_library();
    puts("good");
    return 0;
}
