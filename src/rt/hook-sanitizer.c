/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-sanitizer: what a sanitizer in the target finds is the run's outcome, also if the target
 * goes on. Those that take threads and memory into their own hands are refused by name. */
#include "rt/rt.h"
#include "rt/sys.h"

extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));
extern char __asan_init __attribute__((weak)), __hwasan_init __attribute__((weak)),
    __msan_init __attribute__((weak)), __tsan_init __attribute__((weak));

/* The sanitizer's own is weak and only prints. */
void __sanitizer_report_error_summary(const char *summary);
__attribute__((visibility("default"))) void
__sanitizer_report_error_summary(const char *summary)
{
    sys_write(2, summary, __builtin_strlen(summary));
    sys_write(2, "\n", 1);
    outcome_sanitizer(summary);
}

/* What a target may call for its reports, where no sanitizer is there to do it. */
#define NOTHING(name, parameters) \
    void name parameters;         \
    EXPORT void name parameters {}

NOTHING(__sanitizer_print_stack_trace, (void))
NOTHING(__sanitizer_set_report_path, (const char *path __attribute__((unused))))
NOTHING(__sanitizer_set_report_fd, (void *fd __attribute__((unused))))

/* Accesses that need not be aligned, as sanitizer/common_interface_defs.h has them. */
#define UNALIGNED(bits, bytes)                                                   \
    uint##bits##_t __sanitizer_unaligned_load##bits(const void *p);              \
    EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *p)        \
    {                                                                            \
        uint##bits##_t value;                                                    \
        __heddle_read##bytes(p, __heddle_here);                                  \
        __builtin_memcpy(&value, p, bytes);                                      \
        return value;                                                            \
    }                                                                            \
    void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t value);       \
    EXPORT void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t value) \
    {                                                                            \
        __heddle_write##bytes(p, value, __heddle_here);                          \
        __builtin_memcpy(p, &value, bytes);                                      \
    }

UNALIGNED(16, 2)
UNALIGNED(32, 4)
UNALIGNED(64, 8)

static void on_death(void)
{
    outcome_exit(1);
}

__attribute__((constructor)) static void meet_sanitizers(void)
{
    if (!self)
        return;
    if (&__asan_init || &__hwasan_init || &__msan_init || &__tsan_init)
        outcome_unsupported("a sanitizer of memory or threads; -fsanitize=undefined works");
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(on_death);
}
