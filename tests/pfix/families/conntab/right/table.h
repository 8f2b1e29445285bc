// SPDX-License-Identifier: Apache-2.0
#ifndef TABLE_H
#define TABLE_H

#include "conn.h"

#define TABLE_SIZE 4

int table_open(int id, int *counter);
struct conn *table_find(int id); /* with a reference, or NULL */
void table_close(int id);

#endif
