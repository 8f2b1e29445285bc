/* SPDX-License-Identifier: Apache-2.0
 *
 * portfolio: see portfolio.h. */
#include "explore/portfolio.h"

#include "base/err.h"

/* In some, sleeps are soon over (pct: every fourth seed, from 3 on), or short waits are in vain
 * (every eighth, from 7 on): then threads go ways that they go in no other run. */
static const struct portfolio_row further[] = {
    {"rr", .seed = 0},     {"pct:1", .seed = 1},  {"pct:1", .seed = 2},  {"random", .seed = 3},
    {"pos", .seed = 4},    {"pct:2", .seed = 3},  {"pct:1", .seed = 7},  {"pct:2", .seed = 11},
    {"pct:3", .seed = 15}, {"pct:2", .seed = 19}, {"random", .seed = 5}, {"pos", .seed = 6},
    {"pct:3", .seed = 27}, {"pct:2", .seed = 35}, {"pct:1", .seed = 23}};
static const struct portfolio_row explore[] = {{"pos", .times = 1}, {"random", .times = 1}};
static const struct portfolio_row before[] = {{"pos", .times = 1}, {"pct:3", .times = 1}};
static const struct portfolio_row after[] = {{"pos", .times = 1},
                                             {"pct:3", .times = 1},
                                             {"pct:2", .times = 2},
                                             {"pos", .times = 2, .spurious = true}};
static const struct portfolio_row causes[] = {
    {"pos", .times = 1}, {"random", .times = 1}, {"pct:3", .times = 1}};
static const struct portfolio_row patch[] = {{"random", .times = 1}, {"pct:3", .times = 1}};

#define LIST(rows) {rows, sizeof rows / sizeof *rows}
static const struct portfolio portfolios[PORTFOLIO_COUNT] = {
    [PORTFOLIO_FURTHER] = LIST(further), [PORTFOLIO_EXPLORE] = LIST(explore),
    [PORTFOLIO_BEFORE] = LIST(before),   [PORTFOLIO_AFTER] = LIST(after),
    [PORTFOLIO_CAUSES] = LIST(causes),   [PORTFOLIO_PATCH] = LIST(patch)};

struct portfolio portfolio_of(enum portfolio_use use)
{
    CHECK(use < PORTFOLIO_COUNT && portfolios[use].len <= PORTFOLIO_ROWS_MAX);
    return portfolios[use];
}
