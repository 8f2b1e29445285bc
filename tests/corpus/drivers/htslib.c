/* SPDX-License-Identifier: Apache-2.0
 *
 * What htslib's pool of threads needs of the rest of the library: its messages. */
#include <stdarg.h>
#include <stdio.h>

int hts_verbose = 3;
void hts_log(int severity, const char *context, const char *format, ...);

void hts_log(int severity, const char *context, const char *format, ...)
{
    va_list more;
    (void)severity;
    va_start(more, format);
    fprintf(stderr, "%s: ", context);
    vfprintf(stderr, format, more);
    va_end(more);
}
