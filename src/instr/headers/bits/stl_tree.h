/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands before the header of libstdc++ that has this name, and adds to it. */
#pragma GCC system_header
#include_next <bits/stl_tree.h>
#include <bits/heddle-tree.h>
