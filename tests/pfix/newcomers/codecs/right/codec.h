// SPDX-License-Identifier: Apache-2.0
#ifndef CODEC_H
#define CODEC_H

typedef int (*codec_fn)(int);

struct codec {
    const char *name;
    int priority;
    codec_fn encode;
    codec_fn decode;
};

/* Called by the modules when they are loaded, from any thread. */
int codec_register(const char *name, int priority, codec_fn encode, codec_fn decode);

/* The one with this name; NULL: it is not loaded (yet). */
const struct codec *codec_find(const char *name);

/* The one with the highest priority; NULL: none is loaded. */
const struct codec *codec_best(void);

int codec_count(void);

#endif
