// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// A reference count by inline assembly: who takes it to zero frees. Without the lock
// prefix it is no count.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
    int refs, value;
};

static int is_last(int *refs)
{
    unsigned char zero;
    __asm__ __volatile__("decl %0; sete %1" //~ A
                         : "+m"(*refs), "=qm"(zero)
                         :
                         : "memory", "cc");
    return zero;
}

static void *work(void *arg)
{
    struct box *b = arg;
    printf("%d\n", b->value);
    if (is_last(&b->refs))
        free(b);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    struct box *b = malloc(sizeof *b);
    *b = (struct box){2, 7};
    pthread_create(&one, NULL, work, b);
    pthread_create(&two, NULL, work, b);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
