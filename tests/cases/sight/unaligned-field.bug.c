// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A field that is not aligned is read while another thread stores it.
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdint.h>

static unsigned char packet[16];

static void *fill(void *arg)
{
    __sanitizer_unaligned_store32(packet + 3, 0x01020304); //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    uint64_t seen = 0;
    pthread_create(&t, NULL, fill, NULL);
    seen = __sanitizer_unaligned_load64(packet + 2); //~ here
    pthread_join(t, NULL);
    return seen != 0 && seen != 0x0102030400;
}
