/* A server with two workers on loopback; its client is another process, started by it. */
//~ exit: 0
//~ stdout: served 6 requests of 3 connections, sum 42
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECTIONS = 3, REQUESTS = 2, WORKERS = 2 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queue[CONNECTIONS], queued, taken, served, sum;

static int run_client(struct sockaddr_in address)
{
    for (int i = 0; i < CONNECTIONS; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        int bad = connect(fd, (struct sockaddr *)&address, sizeof address);
        for (unsigned char k = 0, answer; k < REQUESTS; k++)
            bad |= write(fd, "\7", 1) != 1 || read(fd, &answer, 1) != 1 || answer != 8;
        if (close(fd) != 0 || bad)
            return 1;
    }
    return 0;
}

static int next_connection(void)
{
    pthread_mutex_lock(&m);
    while (taken == queued && taken < CONNECTIONS)
        pthread_cond_wait(&more, &m);
    int fd = taken < CONNECTIONS ? queue[taken++] : -1;
    pthread_mutex_unlock(&m);
    return fd;
}

static void *worker(void *arg)
{
    unsigned char byte;
    for (int fd; (fd = next_connection()) >= 0; close(fd))
        while (recv(fd, &byte, 1, 0) == 1) {
            pthread_mutex_lock(&m);
            served++;
            sum += byte++;
            pthread_mutex_unlock(&m);
            send(fd, &byte, 1, 0);
        }
    pthread_cond_broadcast(&more);
    return arg;
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    pthread_t t[WORKERS];
    int listener = socket(AF_INET, SOCK_STREAM, 0), status;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return 1;
    pid_t client = fork();
    if (client == 0)
        _exit(run_client(address));
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < CONNECTIONS; i++) {
        queue[i] = accept(listener, NULL, NULL);
        pthread_mutex_lock(&m);
        queued++;
        pthread_mutex_unlock(&m);
        pthread_cond_broadcast(&more);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    waitpid(client, &status, 0);
    printf("served %d requests of %d connections, sum %d\n", served, taken, sum);
    return status;
}
