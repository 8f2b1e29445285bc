/* SPDX-License-Identifier: Apache-2.0
 *
 * vec: growing array of plain structs. VEC(T) is a struct with at, len, cap; zero is empty. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

#include <stdlib.h>

#define VEC(T)             \
    struct {               \
        T *at; /* owned */ \
        uint32_t len, cap; \
    }

#define vec_reserve(v, count)                                                  \
    do {                                                                       \
        uint32_t vec_want_ = (count);                                          \
        if (vec_want_ > (v)->cap) {                                            \
            (v)->cap = vec_want_ > 2 * (v)->cap ? vec_want_ : 2 * (v)->cap;    \
            (v)->at = mem_resize((v)->at, sizeof *(v)->at * (size_t)(v)->cap); \
        }                                                                      \
    } while (0)

#define vec_push(v, ...)                                   \
    do {                                                   \
        if ((v)->len == (v)->cap)                          \
            vec_reserve((v), (v)->len ? (v)->len + 1 : 8); \
        (v)->at[(v)->len++] = (__VA_ARGS__);               \
    } while (0)

#define vec_done(v)              \
    do {                         \
        free((v)->at);           \
        (v)->at = NULL;          \
        (v)->len = (v)->cap = 0; \
    } while (0)

#endif
