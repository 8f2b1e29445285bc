/* SPDX-License-Identifier: Apache-2.0
 *
 * hooks: what the compiler would insert, by hand. R(x) reads a variable, W(x, v) writes it;
 * HERE() goes before a call of a library function. */
#ifndef TESTS_RT_HOOKS_H
#define TESTS_RT_HOOKS_H

#ifdef __cplusplus
extern "C" {
#endif
#include "heddle/abi.h"
#ifdef __cplusplus
}
#endif

#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wgnu-statement-expression"

static struct __heddle_unit test_unit __attribute__((section("heddle_units"), used)) = {
    0, HEDDLE_UNIT_BRANCHES, __FILE__, ".", "test", __FILE__, 0};
#define TEXT(text) ((int32_t)((text) - test_unit.texts))

#define SITE(text)                                                                       \
    ({                                                                                   \
        static struct __heddle_site site = {0, __COUNTER__, __LINE__, 1, 0, __COUNTER__, \
                                            0, 0,           0,        0, 0, &test_unit}; \
        site.function = TEXT(__func__);                                                  \
        site.name = TEXT(text);                                                          \
        &site;                                                                           \
    })
#define HERE() (__heddle_here = SITE(""))

#define R(x)                                                       \
    ({                                                             \
        struct __heddle_site *s_ = SITE(#x);                       \
        sizeof(x) == 8   ? __heddle_read8((const void *)&(x), s_)  \
        : sizeof(x) == 4 ? __heddle_read4((const void *)&(x), s_)  \
        : sizeof(x) == 2 ? __heddle_read2((const void *)&(x), s_)  \
                         : __heddle_read1((const void *)&(x), s_); \
        (x);                                                       \
    })
#define W(x, v)                                                             \
    ({                                                                      \
        struct __heddle_site *s_ = SITE(#x);                                \
        __typeof__(x) v_ = (v);                                             \
        sizeof(x) == 8   ? __heddle_write8((void *)&(x), (uint64_t)v_, s_)  \
        : sizeof(x) == 4 ? __heddle_write4((void *)&(x), (uint64_t)v_, s_)  \
        : sizeof(x) == 2 ? __heddle_write2((void *)&(x), (uint64_t)v_, s_)  \
                         : __heddle_write1((void *)&(x), (uint64_t)v_, s_); \
        (x) = v_;                                                           \
    })
#define BRANCH(c)                     \
    ({                                \
        __heddle_branch(0, SITE("")); \
        (c);                          \
    })
#define ATOMIC_POINT(x, kind, site)                                                  \
    __heddle_atomic_point((void *)&(x),                                              \
                          sizeof(x) | (uint32_t)(kind) << HEDDLE_ATOMIC_KIND_SHIFT | \
                              5u << HEDDLE_ATOMIC_ORDER_SHIFT |                      \
                              5u << HEDDLE_ATOMIC_FAILED_SHIFT,                      \
                          0, site)
#define RMW_ADD(x, n)                                                            \
    ({                                                                           \
        struct __heddle_site *s_ = SITE(#x);                                     \
        ATOMIC_POINT(x, HEDDLE_ATOMIC_RMW, s_);                                  \
        uint64_t b_ = (uint64_t)__atomic_fetch_add(&(x), (n), __ATOMIC_SEQ_CST); \
        __heddle_rmw((void *)&(x), sizeof(x), b_, b_ + (uint64_t)(n), 5, s_);    \
        b_;                                                                      \
    })
#define LOAD(x)                                                             \
    ({                                                                      \
        struct __heddle_site *s_ = SITE(#x);                                \
        ATOMIC_POINT(x, HEDDLE_ATOMIC_LOAD, s_);                            \
        __typeof__(x) v_ = __atomic_load_n(&(x), __ATOMIC_SEQ_CST);         \
        __heddle_atomic_load((void *)&(x), sizeof(x), (uint64_t)v_, 5, s_); \
        v_;                                                                 \
    })
#define STORE(x, v)                                                           \
    ({                                                                        \
        struct __heddle_site *s_ = SITE(#x);                                  \
        ATOMIC_POINT(x, HEDDLE_ATOMIC_STORE, s_);                             \
        __atomic_store_n(&(x), (v), __ATOMIC_SEQ_CST);                        \
        __heddle_atomic_store((void *)&(x), sizeof(x), (uint64_t)(v), 5, s_); \
    })
#define GLOBAL(x)                                  \
    static const struct __heddle_global global_##x \
        __attribute__((section("heddle_globals"), used)) = {&x, sizeof x, #x, 0, 0};

#endif
