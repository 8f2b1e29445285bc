/* Locks that are held when a thread forks are held in the child too; dead ones are not. */
//~ exit: 0
//~ stdout: child: mutex 16, of another thread 16, read lock 16, write lock 16, spin lock 16
//~ stdout: recursive: not its owner, stream: free
//~ stdout: unlocked: 0 0 0
//~ stdout: the child ended with 0
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER, twice;
static pthread_rwlock_t read_lock = PTHREAD_RWLOCK_INITIALIZER,
                        write_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;

static void *holds(void *unused)
{
    pthread_mutex_lock(&other);
    return unused;
}

static int child(void)
{
    printf("child: mutex %d, of another thread %d, read lock %d, write lock %d, spin lock %d\n",
           pthread_mutex_trylock(&m), pthread_mutex_trylock(&other),
           pthread_rwlock_trywrlock(&read_lock), pthread_rwlock_tryrdlock(&write_lock),
           pthread_spin_trylock(&spin));
    printf("recursive: %s, stream: %s\n",
           pthread_mutex_unlock(&twice) == EPERM ? "not its owner" : "its owner",
           ftrylockfile(stdout) == 0 ? "free" : "busy");
    pthread_mutex_unlock(&m);
    pthread_rwlock_unlock(&read_lock);
    pthread_spin_unlock(&spin);
    printf("unlocked: %d %d %d\n", pthread_mutex_trylock(&m),
           pthread_rwlock_trywrlock(&read_lock), pthread_spin_trylock(&spin));
    return fflush(stdout);
}

/* A held lock without memory. */
static void lose_one(void)
{
    static const pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t *p =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *p = start;
    pthread_mutex_lock(p);
    munmap(p, 4096);
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&twice, &recursive);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, NULL, holds, NULL);
    pthread_join(t, NULL);
    lose_one();
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&twice);
    pthread_mutex_lock(&twice);
    pthread_rwlock_rdlock(&read_lock);
    pthread_rwlock_wrlock(&write_lock);
    pthread_spin_lock(&spin);
    flockfile(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(child());
    int status;
    waitpid(pid, &status, 0);
    printf("the child ended with %d\n", WEXITSTATUS(status));
    funlockfile(stdout);
    return 0;
}
