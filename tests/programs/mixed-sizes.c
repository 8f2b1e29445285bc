/* Threads write single bytes and halves of words that others read whole, also unaligned. */
//~ exit: 0
//~ stdout: bytes 0807060504030201, halves 44332211, unaligned 0a0b0c0d
//~ stdout: 128 bits 0123456789abcdef fedcba9876543210, double 0.5, bool 1
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t word;
static uint32_t halves;
static unsigned char odd[9];
static unsigned __int128 wide;
static double number;
static bool flag;
static int id[8];

static void *write_byte(void *arg)
{
    int me = *(int *)arg;
    ((unsigned char *)&word)[me] = (unsigned char)(me + 1); /* neighbours, no lock needed */
    if (me < 2)
        memcpy((char *)&halves + 2 * me, (uint16_t[]){(uint16_t)(me ? 0x4433 : 0x2211)}, 2);
    if (me == 3) {
        uint32_t value = 0x0a0b0c0d;
        memcpy(odd + 1, &value, 4);
        wide = (unsigned __int128)0x0123456789abcdef << 64 | 0xfedcba9876543210;
        number = 0.5;
        flag = true;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[8];
    uint32_t unaligned;
    for (int i = 0; i < 8; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, write_byte, &id[i]);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    memcpy(&unaligned, odd + 1, 4);
    printf("bytes %016llx, halves %08x, unaligned %08x\n", (unsigned long long)word, halves,
           unaligned);
    printf("128 bits %016llx %016llx, double %g, bool %d\n", (unsigned long long)(wide >> 64),
           (unsigned long long)wide, number, flag);
    return 0;
}
