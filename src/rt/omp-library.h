/* SPDX-License-Identifier: Apache-2.0
 *
 * omp-library: hooks of OpenMP's functions, for hook-openmp.c and hook-omp.c: while the target
 * is recorded they are what we make of them, and else the library's. */
#ifndef RT_OMP_LIBRARY_H
#define RT_OMP_LIBRARY_H

#include "rt/openmp.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

void *omp_library(const char *name);

/* The library's own function of this name, looked up once. */
#define LIBRARY(name)                               \
    static __typeof__(name) *real_##name;           \
    if (!real_##name) {                             \
        void *found = omp_library(#name);           \
        memcpy(&real_##name, &found, sizeof found); \
    }

#define OMP_DONE(type, name, parameters, arguments, ...) \
    type name parameters;                                \
    EXPORT type name parameters                          \
    {                                                    \
        if (!self) {                                     \
            LIBRARY(name)                                \
            real_##name arguments;                       \
            return;                                      \
        }                                                \
        __VA_ARGS__;                                     \
    }

#define OMP_GIVES(type, name, parameters, arguments, ...) \
    type name parameters;                                 \
    EXPORT type name parameters                           \
    {                                                     \
        if (!self) {                                      \
            LIBRARY(name)                                 \
            return real_##name arguments;                 \
        }                                                 \
        return __VA_ARGS__;                               \
    }

/* What is filled in is memory of the target. */
#define OMP_FILL(p, v)                                        \
    do {                                                      \
        *(p) = (__typeof__(*(p)))(v);                         \
        memory_filled(self, (p), sizeof *(p), __heddle_here); \
    } while (0)

#endif
