# Targets that do not end, or do too much: each has an outcome by name, and Heddle ends in time.
build() { "$HEDDLE" cc -O1 -w -pthread "$1.c" -o "$1"; }
# try NAME: one line with the exit code and the first line of what Heddle says.
try() {
    local code=0
    timeout 60 "$HEDDLE" run --timeout "${limit:-20}" "${@:2}" -- "./$1" > out 2> err || code=$?
    echo "$1: exit $code, $(grep -m 1 '^heddle: ' err | sed 's,;.*,,' || echo 'nothing said')"
}
cat > spin.c << 'END'
#include <pthread.h>
static volatile int go;
static void *wait(void *arg) { while (!go); return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, wait, 0); return pthread_join(t, 0); }
END
cat > compute.c << 'END'
int main(void) { for (unsigned long n = 1;;) { n = n * 3 + 1; __asm__ volatile("" : : "r"(n)); } }
END
cat > steps.c << 'END'
static int x;
int main(void) { for (;;) x++; }
END
cat > hour.c << 'END'
#include <unistd.h>
int main(void) { return (int)sleep(3600); }
END
cat > reads.c << 'END'
#include <stdio.h>
int main(void) { int n = 0; while (getchar() != EOF) n++; return printf("%d bytes\n", n) < 0; }
END
cat > many.c << 'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t[500];
    for (int i = 0; i < 500; i++)
        pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < 500; i++)
        pthread_join(t[i], 0);
    return printf("%d\n", n) < 0;
}
END
cat > forks-server.c << 'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    if (fork() == 0)
        for (;;)
            pause();
    return puts("started") < 0;
}
END
cat > waits-child.c << 'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    return waitpid(child, NULL, 0) != child;
}
END
for p in spin compute steps hour reads many forks-server waits-child; do build $p; done
try spin
limit=1 try compute
try steps --steps 100000
try hour
try reads < /dev/null && cat out
echo hello | try reads && cat out
try many --policy random && cat out
try forks-server && cat out
limit=1 try waits-child
# What they have forked is told to end; the system needs a moment for it.
for _ in $(seq 100); do
    left=$(cat /proc/[0-9]*/comm 2> err | grep -cxE 'forks-server|waits-child' || true)
    [ "$left" = 0 ] && break || sleep 0.05
done
echo "$left left behind"
