/* SPDX-License-Identifier: Apache-2.0
 *
 * guide: how the host tells the runtime which witness to follow, and how the runtime says how
 * far it came. Both files live as long as a run and are never kept: no version, and the host
 * has checked everything. Sites are found by name inside the target, where the tables are.
 *
 *   head | lines | threads | sites | counters | paths | reach | texts
 *
 * A greedy guide is followed as far as it goes (Shi et al. 2016, algorithm 4): a line that its
 * thread cannot come to any more is dropped, and the next one counts. Locks that are taken at
 * some sites may be left free (the same paper, section 2): the trace is then marked
 * TRACE_UNENFORCED. */
#ifndef HEDDLE_GUIDE_H
#define HEDDLE_GUIDE_H

#include <stdint.h>

#define GUIDE_MAGIC 0x2145444955474448ULL /* "HDGUIDE!" */

enum guide_how { GUIDE_RUN, GUIDE_EVENT, GUIDE_AT };

struct guide_head {
    uint64_t magic;
    uint32_t line_count, thread_count, site_count, counter_count, path_count, text_bytes;
    uint32_t is_greedy;
    uint32_t gives_up; /* a run that cannot follow it ends there */
    /* Bit from * target_count + to of reach: code behind site `from` can come to site `to`. 0:
     * nothing is known. Sites that are not listed may come anywhere. */
    uint32_t target_count;
};

/* Bytes of reach, a multiple of 4. */
static inline uint64_t guide_reach_bytes(const struct guide_head *h)
{
    return ((uint64_t)h->site_count * h->target_count + 31) / 32 * 4;
}

struct guide_line {
    uint64_t count;   /* of its counter, when it is done; AT: when it would be */
    uint32_t counter; /* what is counted */
    uint32_t how;
};

/* A thread by its path: main is {0}, its k-th child {0, k}. */
struct guide_thread {
    uint32_t path, depth; /* index into paths, length */
};

struct guide_site {
    uint32_t file, function, name; /* offsets into texts; the file without directories */
    uint32_t line, column, statement;
    uint32_t counter; /* the first one of this site, or NO_ID */
    uint32_t is_free; /* a mutex that is locked here is recorded, and not locked */
};

/* Events of one kind at one site by one thread. */
struct guide_counter {
    uint32_t thr, kind;
    uint32_t site;
    uint32_t next; /* another one of the same site, or NO_ID */
};

/* Bytes of a file: head, lines, threads, sites, counters, paths, reach, texts. */
static inline uint64_t guide_bytes(const struct guide_head *h)
{
    return sizeof *h + h->line_count * (uint64_t)sizeof(struct guide_line) +
           h->thread_count * (uint64_t)sizeof(struct guide_thread) +
           h->site_count * (uint64_t)sizeof(struct guide_site) +
           h->counter_count * (uint64_t)sizeof(struct guide_counter) +
           h->path_count * (uint64_t)sizeof(uint32_t) + guide_reach_bytes(h) + h->text_bytes;
}

/* Whether what sites say of texts is in them, and the texts end. */
static inline int guide_has_texts(const struct guide_head *h, const struct guide_site *sites,
                                  const char *texts)
{
    for (uint32_t i = 0; i < h->site_count; i++)
        if (sites[i].file >= h->text_bytes || sites[i].function >= h->text_bytes ||
            sites[i].name >= h->text_bytes)
            return 0;
    return h->site_count == 0 || texts[h->text_bytes - 1] == 0;
}

enum guide_state {
    GUIDE_ON_THE_WAY, /* at the end of a run: it ended before the witness did */
    GUIDE_FOLLOWED,   /* every line was reached */
    GUIDE_STOPPED,    /* given up at `line` */
};

struct guide_report {
    uint64_t magic;
    uint64_t beside; /* steps of threads whose turn it was not, while the right one waited */
    uint32_t state;
    uint32_t line; /* index of the first line that was not reached */
    /* The first two AT lines: accesses that overlap, one of them a write; or all of them: locks
     * that these threads have of each other. */
    uint32_t conflict;
    uint32_t dropped; /* lines, of a greedy guide */
    char why[100];    /* stopped: the reason */
};

#endif
