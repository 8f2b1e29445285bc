# SPDX-License-Identifier: Apache-2.0
# A thread that ends by a system call in assembly takes the token along: that is said, and at once.
cat > left.c <<'C'
#include <pthread.h>
__attribute__((noinline)) static void leave(void)
{
    __asm__ volatile("mov $60, %%eax\n\txor %%edi, %%edi\n\tsyscall" ::: "rax", "rdi", "memory");
}
static void *work(void *arg)
{
    leave();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
C
"$HEDDLE" cc -g left.c -o left -pthread || exit 1
timeout 20 "$HEDDLE" run ./left 2>&1 | head -1
