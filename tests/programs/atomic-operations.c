/* Every C11 read-modify-write on 8, 16, 32 and 64 bits, from two threads in turn. */
//~ exit: 0
//~ stdout: 8 bits 00 16 bits 0ff0 32 bits 00000007 64 bits 00000001fffffffe
//~ stdout: strong failed with 7, weak ended with 9, flag 0 then 1
//~ std: c11
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static _Atomic uint8_t byte = 0xff;
static _Atomic uint16_t half = 0x0f0f;
static _Atomic uint32_t word = 12;
static _Atomic uint64_t large = 0xffffffff;
static atomic_flag flag = ATOMIC_FLAG_INIT;

static void *first(void *arg)
{
    byte++;                          /* wraps to 0 */
    atomic_fetch_or(&half, 0x00f0);  /* 0fff */
    atomic_fetch_sub(&word, 5);      /* 7 */
    atomic_fetch_add(&large, large); /* carries into the upper half */
    return arg;
}

static void *second(void *arg)
{
    atomic_fetch_and(&half, 0xfff0);
    atomic_fetch_xor(&word, 0x80000000u);
    atomic_fetch_xor(&word, 0x80000000u);
    large -= 0;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, first, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(t, NULL);
    printf("8 bits %02x 16 bits %04x 32 bits %08x 64 bits %016llx\n", byte, half, word,
           (unsigned long long)large);

    uint32_t expected = 8;
    if (atomic_compare_exchange_strong(&word, &expected, 1))
        puts("strong must fail");
    printf("strong failed with %u, ", expected);
    while (!atomic_compare_exchange_weak_explicit(&word, &expected, 9, memory_order_acq_rel,
                                                  memory_order_acquire))
        ;
    printf("weak ended with %u, ", atomic_exchange(&word, 0));
    int before = atomic_flag_test_and_set(&flag);
    printf("flag %d then %d\n", before, atomic_flag_test_and_set(&flag));
    return 0;
}
