/* SPDX-License-Identifier: Apache-2.0
 *
 * bitcode: the modules that a program carries with it.
 *
 * Section heddle_bitcode is a row of frames, one per unit in the order of heddle_units, each
 * followed by packed_bytes bytes (zstd) of bitcode and zeroes up to a multiple of 8. Metadata
 * "heddle.site" of instructions and functions is their site's ordinal. */
#ifndef HEDDLE_BITCODE_H
#define HEDDLE_BITCODE_H

#include <stdint.h>

struct bitcode_frame {
    uint64_t magic;
    uint64_t packed_bytes, plain_bytes;
};

#define BITCODE_MAGIC 0x314342454c444448ULL /* "HDDLEBC1" */
#define BITCODE_SECTION "heddle_bitcode"

#endif
