# SPDX-License-Identifier: Apache-2.0
# Locks that a child shares are right in a family. Where children are not followed the run names them, and does not
# call it a deadlock to wait for the child. A thread that waits for its own process alone is still stuck.
cat > shares.c << 'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct both {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_set;
};
int main(int argc, char **argv)
{
    struct both *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t m;
    pthread_condattr_t c;
    pthread_mutexattr_init(&m);
    pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&b->lock, &m);
    pthread_condattr_init(&c);
    pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&b->changed, &c);
    pid_t child = argc > 1 ? 0 : fork();
    if (child == 0 && argc == 1) {
        pthread_mutex_lock(&b->lock);
        b->is_set = 1;
        pthread_cond_signal(&b->changed);
        _exit(0);
    }
    pthread_mutex_lock(&b->lock);
    while (argc > 1 || !b->is_set || 1)
        pthread_cond_wait(&b->changed, &b->lock);
}
END
"$HEDDLE" cc -O1 -w -pthread shares.c -o shares
for argument in "" alone; do
    "$HEDDLE" run -- ./shares $argument 2>&1 | grep '^heddle:' || true
done
"$HEDDLE" run --no-children -- ./shares 2>&1 | grep '^heddle:' || true
