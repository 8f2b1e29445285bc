# Calls that the runtime does not model end the run as unsupported, with their names.
try() {
    local code=0
    "$HEDDLE" cc -O1 -w -pthread -D_GNU_SOURCE "$1.c" -o "$1"
    timeout 60 "$HEDDLE" run --timeout 20 -- "./$1" > out 2> err || code=$?
    echo "$1: exit $code, $(grep -m 1 '^heddle: ' err)"
    ./"$1" > out || echo "$1: on its own: exit $?"
}
cat > clone.c << 'END'
#include <sched.h>
#include <unistd.h>
static char stack[65536];
static volatile int done;
static int run(void *arg) { done = 1; return 0; }
int main(void)
{
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (clone(run, stack + sizeof stack, flags, NULL) < 0)
        return 1;
    while (!done)
        usleep(10);
    return 0;
}
END
cat > context.c << 'END'
#include <stdio.h>
#include <ucontext.h>
static ucontext_t here, there;
static char stack[65536];
static void run(void) { swapcontext(&there, &here); }
int main(void)
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, run, 0);
    return swapcontext(&here, &there);
}
END
cat > futex.c << 'END'
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static unsigned word;
int main(void) { return syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, 0, 0, 0) != 0; }
END
cat > uring.c << 'END'
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    char room[256] = {0};
    return syscall(SYS_io_uring_setup, 4, room) >= 0 || errno == ENOSYS || errno == EPERM ? 0 : 1;
}
END
cat > unknown.c << 'END'
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *run(void *arg)
{
    return syscall(SYS_lookup_dcookie, 0L, arg, 0L) < 0 ? arg : NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    run(NULL);
    return pthread_join(t, NULL);
}
END
cat > aio.c << 'END'
#include <aio.h>
int main(void)
{
    static char room[16];
    static struct aiocb request = {.aio_fildes = 0, .aio_buf = room, .aio_nbytes = 1};
    return aio_read(&request) != 0;
}
END
for p in clone context futex uring unknown aio; do try $p < /dev/null; done
# GCC's OpenMP waits by futexes of its own.
cat > gomp.c << 'END'
int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 100; i++)
        sum += i;
    return sum != 4950;
}
END
gcc -O1 -fopenmp -c gomp.c -o gomp.o
"$HEDDLE" cc gomp.o -L"$(dirname "$(gcc -print-file-name=libgomp.so)")" -lgomp -o gomp
timeout 60 "$HEDDLE" run --timeout 20 -- ./gomp 2> err || echo "gomp: exit $?, $(grep -m 1 '^heddle: ' err)"
# A program that cannot do without has not failed.
cat >needs.c <<'C'
#define _GNU_SOURCE
#include <linux/aio_abi.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static aio_context_t context;
static void *work(void *arg)
{
    return syscall(SYS_io_setup, 4, &context) < 0 ? NULL : arg;
}
int main(void)
{
    pthread_t t;
    void *end;
    pthread_create(&t, NULL, work, &t);
    pthread_join(t, &end);
    return end ? 0 : 3;
}
C
"$HEDDLE" cc -g -O1 -pthread needs.c -o needs
code=0
"$HEDDLE" check --json -- ./needs >needs.json 2>/dev/null || code=$?
echo "needs: exit $code"
python3 -c 'import json
print([(f["pattern"], f["verdict"]) for f in json.load(open("needs.json"))["findings"]])'
