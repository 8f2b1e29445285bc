// SPDX-License-Identifier: Apache-2.0
// Sum and count of what was measured, one for each room.
#ifndef TALLY_H
#define TALLY_H

struct tally {
    const char *name;
    long sum;
    int count;
};

struct tally *tally_new(const char *name);
void tally_add(struct tally *t, long value);
long tally_mean(struct tally *t);
void tally_free(struct tally *t);

#endif
