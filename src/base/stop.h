/* SPDX-License-Identifier: Apache-2.0
 *
 * stop: somebody wants us to end (Ctrl-C, SIGTERM), or the time that we have is spent. Loops
 * that may take long look at it and come to an end, so that what was found until then can be
 * told. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What stop_signal says when time or memory is spent: the signals that the system has for
 * such things. */
enum { STOP_TIME = SIGXCPU, STOP_MEMORY = SIGXFSZ };

/* From here on SIGINT, SIGTERM and SIGHUP do not end us: stop_signal says which one came. */
void stop_catch(void);
/* 0: none came, and there is time left. From any thread, as often as one likes. */
int stop_signal(void);
int stop_came(void);      /* the signal alone; 0: none */
void stop_by(int signal); /* as if it had come */
/* It came some time ago: what is still to be done for the report is left out. */
int stop_is_late(void);
/* 128 and its number if one came, else the code: what spent time means, the command knows. */
int stop_code(int code);

/* ---- time -------------------------------------------------------------------------------- *
 * What is counted is the processor's time of this process and of what it started, so that a
 * busy machine changes nothing. Who sleeps or waits for somebody outside uses none: an eighth
 * of the time on the clock counts where that is more. */

void stop_begin(void);        /* counting begins anew here; it did when we were started */
uint64_t stop_spent_ms(void); /* since then */
void stop_after(uint64_t ms); /* so much is there in all; UINT64_MAX: any amount */
/* The same, as long as nobody has named an amount: 30 times what runs took that were recorded,
 * this one and those before it; at least 20 s for each, at most 10 minutes in all. */
void stop_after_run(uint64_t took_ms);
uint64_t stop_budget_ms(void);   /* that; UINT64_MAX: any amount */
uint64_t stop_left_ms(void);     /* for what is being done now */
void stop_child(pid_t pid);      /* one that runs now is counted while it does */
void stop_child_gone(pid_t pid); /* it was waited for */

/* A part of the work, that may use so many percent of what is left for the work it is a part
 * of. Where it is spent, stop_signal says so until the part ends. */
struct stop_part {
    uint64_t outer; /* the limit before */
};
struct stop_part stop_part_begin(unsigned percent);
bool stop_part_end(struct stop_part part); /* was it cut short? */
void stop_cut(int why);                    /* something was, otherwise */
/* STOP_TIME or STOP_MEMORY, because of which any part was, or all of it; 0: none was. */
int stop_was_cut(void);

/* ---- memory ------------------------------------------------------------------------------ */

/* This process may have so much, and each run; 0: any amount. */
void stop_memory(uint64_t bytes);
uint64_t stop_memory_bytes(void);
uint64_t stop_resident(pid_t pid); /* bytes of a process; 0: not known */

#endif
