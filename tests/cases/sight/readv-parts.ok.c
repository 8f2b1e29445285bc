// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// readv fills a header; the flag that says so is guarded by a lock.
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
    char kind, size;
} header;
static char body[8];
static int ends[2], here;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *receive(void *arg)
{
    struct iovec parts[2] = {{&header, sizeof header}, {body, sizeof body}};
    if (readv(ends[0], parts, 2) <= 0) //~ here
        return NULL;
    pthread_mutex_lock(&lock);
    here = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int kind = 0;
    if (pipe(ends) != 0 || pthread_create(&t, NULL, receive, NULL) != 0)
        return 1;
    if (write(ends[1], "k\5hello", 7) != 7)
        return 1;
    pthread_mutex_lock(&lock);
    if (here)
        kind = header.kind; //~ here
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return kind != 0 && kind != 'k';
}
