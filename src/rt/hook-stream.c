/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-stream: where a stream stands and what it is like. libc takes the stream's lock for
 * these too, and another thread may wait for the world with that in hand. */
#define __NO_INLINE__ 1 /* <stdio.h> must not define some of these itself */
#include "rt/stream.h"

/* ---- those that may write what is left in the buffer ------------------------------------- */

#define MOVES(type, name, parameters, arguments) \
    READS(type, name, parameters, arguments, f, NULL, 0)

MOVES(int, fseek, (FILE * f, long offset, int from), (f, offset, from))
MOVES(int, fseeko, (FILE * f, off_t offset, int from), (f, offset, from))
MOVES(long, ftell, (FILE * f), (f))
MOVES(off_t, ftello, (FILE * f), (f))
MOVES(int, fgetpos, (FILE *restrict f, fpos_t *restrict out), (f, out))
MOVES(int, fsetpos, (FILE * f, const fpos_t *at), (f, at))
MOVES(int, setvbuf, (FILE *restrict f, char *restrict p, int mode, size_t len),
      (f, p, mode, len))
MOVES(int, ungetc, (int c, FILE *f), (c, f))
MOVES(int, getw, (FILE * f), (f))
MOVES(int, putw, (int word, FILE *f), (word, f))
ALSO(fseeko, fseeko64);
ALSO(ftello, ftello64);
ALSO(fgetpos, fgetpos64);
ALSO(fsetpos, fsetpos64);

#define MOVES_SILENTLY(name, parameters, arguments) \
    EXPORT void name parameters                     \
    {                                               \
        struct thr *t = self;                       \
        bool held = t && stream_enter(t, f);        \
        real.name arguments;                        \
        if (t)                                      \
            stream_leave(t, f, held);               \
    }

MOVES_SILENTLY(rewind, (FILE * f), (f))
MOVES_SILENTLY(setbuf, (FILE *restrict f, char *restrict p), (f, p))
MOVES_SILENTLY(setbuffer, (FILE *restrict f, char *restrict p, size_t len), (f, p, len))
MOVES_SILENTLY(setlinebuf, (FILE * f), (f))

/* ---- those that look at it --------------------------------------------------------------- */

#define LOOKS(type, name, result) \
    EXPORT type name(FILE *f)     \
    {                             \
        if (self)                 \
            stream_wait(self, f); \
        result real.name(f);      \
    }

LOOKS(int, feof, return)
LOOKS(int, ferror, return)
LOOKS(void, clearerr, )
