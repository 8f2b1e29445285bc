/* SPDX-License-Identifier: Apache-2.0
 *
 * embedded: a file of the sources that is part of the program; tools/embed makes the bytes. */
#ifndef BASE_EMBEDDED_H
#define BASE_EMBEDDED_H

#include "base/str.h"

struct embedded {
    struct text bytes;
    const char *hash; /* SHA-256, as a page's security policy wants it */
};

#endif
