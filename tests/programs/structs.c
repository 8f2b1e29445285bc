/* Structures travel by assignment, by value, in unions and with bit-fields, between threads. */
//~ exit: 0
//~ stdout: written 300, whole copies 200 of 200
//~ stdout: bits 5 and 9, union 3ff0000000000000 with high byte 3f
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct item {
    char name[24];
    int values[10];
    struct {
        short low, high;
    } range;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item shared;
static struct {
    unsigned first : 3, second : 5; /* one byte: needs the lock */
} bits;
static union {
    double number;
    uint64_t word;
    unsigned char bytes[8];
} both;

static struct item made(int value)
{
    struct item it = {.range = {(short)value, (short)(value + 1)}};
    snprintf(it.name, sizeof it.name, "item %d", value);
    for (int i = 0; i < 10; i++)
        it.values[i] = value;
    return it;
}

static int is_whole(struct item it)
{
    struct item same = made(it.values[9]);
    return memcmp(&it, &same, sizeof it) == 0;
}

static void *exchange(void *arg)
{
    int *result = arg, me = result[0];
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&m);
        struct item copy = shared;
        shared = made(me);
        result[1] += shared.values[i % 10];
        if (me == 1)
            bits.first = 5;
        else
            bits.second = 9;
        pthread_mutex_unlock(&m);
        result[2] += is_whole(copy);
    }
    if (me == 2)
        both.number = 1.0;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int result[2][3] = {{1, 0, 0}, {2, 0, 0}};
    shared = made(0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, exchange, result[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("written %d, whole copies %d of 200\n", result[0][1] + result[1][1],
           result[0][2] + result[1][2]);
    printf("bits %u and %u, union %016llx with high byte %02x\n", bits.first, bits.second,
           (unsigned long long)both.word, both.bytes[7]);
    return 0;
}
