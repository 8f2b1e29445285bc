// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A server forks for each request; two threads of it count what came back, under a lock.

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int answered;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *serve(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int p[2], status;
        char c;
        must(pipe(p) == 0);
        pid_t child = fork();
        must(child >= 0);
        if (child == 0) {
            c = (char)('a' + i);
            _exit(write(p[1], &c, 1) == 1 ? 0 : 1);
        }
        close(p[1]);
        must(read(p[0], &c, 1) == 1 && c == 'a' + i);
        must(waitpid(child, &status, 0) == child && status == 0);
        close(p[0]);
        pthread_mutex_lock(&lock);
        answered++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return answered > 4;
}
