// SPDX-License-Identifier: Apache-2.0
#ifndef SEATS_H
#define SEATS_H

int seats_free(void);
void seats_take(int n);
void seats_close(void);

#endif
