/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads fetch by libcurl what a small server of ours gives, with a cache of names and
 * cookies that they share, and then one by curl's multi interface; names are looked up by a
 * thread of the library's. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FETCHING = 2, FETCHES = 2, ALL = FETCHING * FETCHES + 1 };

static pthread_mutex_t locks[CURL_LOCK_DATA_LAST];
static int listener;
static char url[64];
static CURLSH *shared;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void *serve(void *unused)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a=b\r\n"
                                 "Connection: close\r\n\r\nhello";
    for (int i = 0; i < ALL; i++) {
        char question[1024];
        size_t size = 0;
        int fd = accept(listener, NULL, NULL);
        must(fd >= 0, "accept");
        while (size < 4 || memcmp(question + size - 4, "\r\n\r\n", 4) != 0) {
            ssize_t n = read(fd, question + size, sizeof question - size);
            must(n > 0, "server: read");
            size += (size_t)n;
        }
        must(write(fd, answer, sizeof answer - 1) == sizeof answer - 1, "server: write");
        close(fd);
    }
    return unused;
}

static size_t keep(char *data, size_t size, size_t count, void *to)
{
    must(strlen(to) + size * count < 8, "too much");
    strncat(to, data, size * count);
    return size * count;
}

static void lock(CURL *handle, curl_lock_data what, curl_lock_access how, void *unused)
{
    (void)handle, (void)how, (void)unused;
    pthread_mutex_lock(&locks[what]);
}

static void unlock(CURL *handle, curl_lock_data what, void *unused)
{
    (void)handle, (void)unused;
    pthread_mutex_unlock(&locks[what]);
}

static CURL *question(char *to)
{
    CURL *curl = curl_easy_init();
    must(curl != NULL, "easy");
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_COOKIEFILE, "");
    curl_easy_setopt(curl, CURLOPT_SHARE, shared);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, to);
    return curl;
}

static void *fetch(void *unused)
{
    for (int i = 0; i < FETCHES; i++) {
        char got[8] = "";
        CURL *curl = question(got);
        must(curl_easy_perform(curl) == CURLE_OK && strcmp(got, "hello") == 0, "fetch");
        curl_easy_cleanup(curl);
    }
    return unused;
}

static void multi(void)
{
    char got[8] = "";
    int running = 1;
    CURL *curl = question(got);
    CURLM *many = curl_multi_init();
    curl_multi_add_handle(many, curl);
    while (running) {
        must(curl_multi_perform(many, &running) == CURLM_OK, "multi");
        if (running)
            must(curl_multi_poll(many, NULL, 0, 1000, NULL) == CURLM_OK, "poll");
    }
    must(strcmp(got, "hello") == 0, "multi: fetch");
    curl_multi_remove_handle(many, curl);
    curl_easy_cleanup(curl);
    curl_multi_cleanup(many);
}

static void listen_here(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&here, size) == 0 && listen(listener, 8) == 0 &&
             getsockname(listener, (struct sockaddr *)&here, &size) == 0,
         "listen");
    snprintf(url, sizeof url, "http://localhost:%d/", ntohs(here.sin_port));
}

int main(void)
{
    pthread_t server, threads[FETCHING];
    for (int i = 0; i < CURL_LOCK_DATA_LAST; i++)
        pthread_mutex_init(&locks[i], NULL);
    listen_here();
    must(curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK, "init");
    shared = curl_share_init();
    curl_share_setopt(shared, CURLSHOPT_LOCKFUNC, lock);
    curl_share_setopt(shared, CURLSHOPT_UNLOCKFUNC, unlock);
    curl_share_setopt(shared, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(shared, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    must(pthread_create(&server, NULL, serve, NULL) == 0, "thread");
    for (int i = 0; i < FETCHING; i++)
        must(pthread_create(&threads[i], NULL, fetch, NULL) == 0, "thread");
    for (int i = 0; i < FETCHING; i++)
        pthread_join(threads[i], NULL);
    multi();
    pthread_join(server, NULL);
    curl_share_cleanup(shared);
    curl_global_cleanup();
    puts("good");
    return 0;
}
