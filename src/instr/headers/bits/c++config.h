/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands before the header of libstdc++ that has this name: the members of std::basic_string
 * are made in the unit that uses them, with hooks, and not taken compiled from the library. */
#pragma GCC system_header
#include_next <bits/c++config.h>
#if defined _GLIBCXX_EXTERN_TEMPLATE && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
