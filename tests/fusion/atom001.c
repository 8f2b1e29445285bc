/* SPDX-License-Identifier: Apache-2.0
 *
 * atom001: a log whose writers share a buffer. Where the next line goes is read, the line is
 * put there, and only then the index moves on: two lines may land in one place. */
#include "fusion.h"

static char buffer[64];
static int used;

static void append(const char *text, int len)
{
    HEDDLE_ATOMIC_BEGIN();
    int at = used;
    if (at + len < (int)sizeof buffer) {
        for (int i = 0; i < len; i++)
            buffer[at + i] = text[i];
        used = at + len;
    }
    HEDDLE_ATOMIC_END();
}

static void *work(void *arg)
{
    if (*(int *)arg == 0)
        append("GET", 3);
    else
        used = used + 4; /* another writer, who keeps room for a number */
    return NULL;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
