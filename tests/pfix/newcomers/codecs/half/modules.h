// SPDX-License-Identifier: Apache-2.0
#ifndef MODULES_H
#define MODULES_H

void *load_rot(void *arg);
void *load_xor(void *arg);

#endif
