# SPDX-License-Identifier: Apache-2.0
# Whether a process that was started is faster than the one who waits for it is up to the machine's load. The
# schedule is the same: here each fork of the system's returns late in the parent, and not at all late.
cat > late.c << 'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
static pid_t (*next)(void);
__attribute__((constructor)) static void find_next(void)
{
    next = (pid_t (*)(void))dlsym(RTLD_NEXT, "fork");
}
pid_t fork(void)
{
    pid_t pid = next();
    struct timespec t = {0, 60000000};
    long result = 35; /* nanosleep, not the runtime's */
    if (pid > 0)
        __asm__ volatile("syscall" : "+a"(result) : "D"(&t), "S"(0) : "rcx", "r11", "memory");
    return pid;
}
EOF
cat > prog.c << 'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *idle(void *arg)
{
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int status = 0;
    pthread_create(&t, NULL, idle, NULL);
    pthread_join(t, NULL);
    if (argc > 1)
        return system(argv[1]) != 3 << 8;
    FILE *f = popen("exit 3", "w");
    status = f ? pclose(f) : 0;
    return status != 3 << 8;
}
EOF
cc -shared -fPIC late.c -o late.so -ldl
heddle cc -O1 -g -pthread prog.c -o prog
fixed="setarch -R" # the same addresses in both
$fixed true 2> /dev/null || exit 77
for policy in fifo random:seed=2 pct:seed=0:depth=3:length=300; do
    for arg in "exit 3" ""; do
        rm -rf a b
        mkdir a b
        HEDDLE_RT="dir=a:policy=$policy" $fixed ./prog ${arg:+"$arg"} || echo "a: exit $?"
        LD_PRELOAD=$PWD/late.so HEDDLE_RT="dir=b:policy=$policy" $fixed ./prog ${arg:+"$arg"} || echo "b: exit $?"
        heddle trace dump a/schedule > a.text
        heddle trace dump b/schedule > b.text
        cmp a.text b.text && echo "$policy ${arg:-popen}: the same schedule"
    done
done
