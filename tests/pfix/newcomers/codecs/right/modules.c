// SPDX-License-Identifier: Apache-2.0
#include "modules.h"

#include "codec.h"

#include <stddef.h>

static int rot_encode(int x)
{
    return x + 13;
}

static int rot_decode(int x)
{
    return x - 13;
}

static int xor_both(int x)
{
    return x ^ 0x55;
}

void *load_rot(void *arg)
{
    int *at = arg;
    *at = codec_register("rot", 1, rot_encode, rot_decode);
    return NULL;
}

void *load_xor(void *arg)
{
    int *at = arg;
    *at = codec_register("xor", 2, xor_both, xor_both);
    return NULL;
}
