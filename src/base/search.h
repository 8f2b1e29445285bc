/* SPDX-License-Identifier: Apache-2.0
 *
 * search: binary search in anything that is sorted and has an index. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdint.h>

/* The first index from low on, before high, for which `is_before` (an expression of i) does not
 * hold; high if there is none. It holds for all before that one, and for none behind it. */
#define SEARCH(i, low, high, is_before)                      \
    ({                                                       \
        uint32_t low_##i = (low), high_##i = (high);         \
        while (low_##i < high_##i) {                         \
            uint32_t i = low_##i + (high_##i - low_##i) / 2; \
            if (is_before)                                   \
                low_##i = i + 1;                             \
            else                                             \
                high_##i = i;                                \
        }                                                    \
        low_##i;                                             \
    })

#endif
