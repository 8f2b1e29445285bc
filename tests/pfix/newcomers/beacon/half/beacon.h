// SPDX-License-Identifier: Apache-2.0
#ifndef BEACON_H
#define BEACON_H

struct position {
    int lat;
    int lon;
    int height;
};

/* The first position that the receiver made out, for everybody who can wait for it. */
struct beacon {
    struct position first;
    volatile int has_first;
    const char *name;
};

void beacon_init(struct beacon *b, const char *name);

/* Called by the receiver with what it heard. */
void beacon_hear(struct beacon *b, int lat, int lon, int height);

/* 1 and the position, or 0: there is none yet. */
int beacon_first(const struct beacon *b, struct position *out);

#endif
