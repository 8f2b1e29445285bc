/* SPDX-License-Identifier: Apache-2.0
 *
 * A client of libmosquitto with a thread of the library's for its network, and a broker that
 * knows just enough of MQTT 3.1.1 to answer: what is published comes back once it is
 * subscribed to. Two threads publish through one client. */
#include <arpa/inet.h>
#include <mosquitto.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PUBLISHERS = 2, MESSAGES = 2, CONNECT = 1, PUBLISH = 3, SUBSCRIBE = 8, DISCONNECT = 14 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_subscribed, arrived, listener;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static int get(int fd, unsigned char *to, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = read(fd, to + got, size - got);
        if (n <= 0)
            return 0;
        got += (size_t)n;
    }
    return 1;
}

static void put(int fd, const unsigned char *from, size_t size)
{
    must(write(fd, from, size) == (ssize_t)size, "broker: write");
}

static void answer(int fd, const unsigned char *head, const unsigned char *body)
{
    switch (head[0] >> 4) {
    case CONNECT:
        put(fd, (const unsigned char[]){0x20, 2, 0, 0}, 4);
        break;
    case SUBSCRIBE:
        put(fd, (const unsigned char[]){0x90, 3, body[0], body[1], 0}, 5);
        break;
    case PUBLISH:
        put(fd, head, 2);
        put(fd, body, head[1]);
        break;
    default:
        break;
    }
}

static void *broker(void *unused)
{
    unsigned char head[2], body[128];
    int fd = accept(listener, NULL, NULL);
    must(fd >= 0, "accept");
    while (get(fd, head, sizeof head) && head[0] >> 4 != DISCONNECT) {
        must(head[1] < sizeof body && get(fd, body, head[1]), "broker: read");
        answer(fd, head, body);
    }
    close(fd);
    return unused;
}

static void on_subscribe(struct mosquitto *m, void *unused, int id, int count,
                         const int *granted)
{
    (void)m, (void)unused, (void)id, (void)count, (void)granted;
    pthread_mutex_lock(&lock);
    is_subscribed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_connect(struct mosquitto *m, void *unused, int code)
{
    (void)unused;
    must(code == 0 && mosquitto_subscribe(m, NULL, "here", 0) == MOSQ_ERR_SUCCESS, "subscribe");
}

static void on_message(struct mosquitto *m, void *unused,
                       const struct mosquitto_message *message)
{
    (void)m, (void)unused;
    must(message->payloadlen == 5 && memcmp(message->payload, "hello", 5) == 0,
         "another message");
    pthread_mutex_lock(&lock);
    arrived++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *publish(void *client)
{
    for (int i = 0; i < MESSAGES; i++)
        must(mosquitto_publish(client, NULL, "here", 5, "hello", 0, 0) == MOSQ_ERR_SUCCESS,
             "publish");
    return NULL;
}

static int listen_here(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&here, size) == 0 && listen(listener, 1) == 0 &&
             getsockname(listener, (struct sockaddr *)&here, &size) == 0,
         "listen");
    return ntohs(here.sin_port);
}

int main(void)
{
    pthread_t broker_thread, publishers[PUBLISHERS];
    int port = listen_here();
    must(pthread_create(&broker_thread, NULL, broker, NULL) == 0, "thread");
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("driver", true, NULL);
    must(client != NULL, "client");
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_subscribe_callback_set(client, on_subscribe);
    mosquitto_message_callback_set(client, on_message);
    must(mosquitto_connect(client, "127.0.0.1", port, 60) == MOSQ_ERR_SUCCESS, "connect");
    must(mosquitto_loop_start(client) == MOSQ_ERR_SUCCESS, "loop");
    pthread_mutex_lock(&lock);
    while (!is_subscribed)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < PUBLISHERS; i++)
        must(pthread_create(&publishers[i], NULL, publish, client) == 0, "thread");
    for (int i = 0; i < PUBLISHERS; i++)
        pthread_join(publishers[i], NULL);
    pthread_mutex_lock(&lock);
    while (arrived < PUBLISHERS * MESSAGES)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    mosquitto_disconnect(client);
    mosquitto_loop_stop(client, false);
    mosquitto_destroy(client);
    mosquitto_lib_cleanup();
    pthread_join(broker_thread, NULL);
    puts("good");
    return 0;
}
