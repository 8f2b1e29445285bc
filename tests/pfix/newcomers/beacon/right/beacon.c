// SPDX-License-Identifier: Apache-2.0
#include "beacon.h"

void beacon_init(struct beacon *b, const char *name)
{
    b->first = (struct position){0, 0, 0};
    atomic_init(&b->has_first, 0);
    b->name = name;
}

static int is_valid(int lat, int lon)
{
    return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180;
}

void beacon_hear(struct beacon *b, int lat, int lon, int height)
{
    if (!is_valid(lat, lon))
        return;
    if (atomic_load_explicit(&b->has_first, memory_order_relaxed))
        return;
    b->first.lat = lat;
    b->first.lon = lon;
    b->first.height = height;
    atomic_store_explicit(&b->has_first, 1, memory_order_release);
}

int beacon_first(const struct beacon *b, struct position *out)
{
    if (!atomic_load_explicit(&b->has_first, memory_order_acquire))
        return 0;
    *out = b->first;
    return 1;
}
