/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-witness: any bytes as a witness file. What can be read comes back from its own text. */
#include "fuzz.h"

#include "witness/witness.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes in = {.at = data, .len = size};
    struct err err = {"?"};
    AUTO(witness_file) struct witness_file f = {0};
    AUTO(witness_file) struct witness_file again = {0};
    AUTO(str) struct str text = {0};
    AUTO(str) struct str second = {0};
    if (witness_file_parse(&f, &in, "fuzz", &err) < 0)
        return 0;
    witness_file_print(&f, &text);
    struct bytes printed = {.at = (const uint8_t *)text.at, .len = text.len};
    must(witness_file_parse(&again, &printed, "printed", &err) == 0, "cannot be read", &err);
    witness_file_print(&again, &second);
    must(text.len == second.len && memcmp(text.at, second.at, text.len) == 0, "another witness",
         &err);
    return 0;
}
