/* SPDX-License-Identifier: Apache-2.0
 *
 * seeds: runs of a test with seeds that count up, none of them recorded. What is kept: how they
 * ended, the first seed of each end, and hashes of their schedules, of which the smallest
 * are enough to tell about how many differ (Bar-Yossef et al. 2002). Lines:
 *
 *     runs 200
 *     end 3 1 17 assert a.c:9      3 runs, failed, the first with seed 17
 *     schedule 00123abc...         ascending, SCHEDULES_KEPT of them at most
 */
#include "campaign/campaign-parts.h"

#include "base/search.h"
#include "run/run.h"

#include <fcntl.h>
#include <string.h>

struct seeds {
    struct campaign_tested all; /* runs, schedules and ends */
    struct arena mem;
};

bool schedules_add(struct campaign_tested *t, uint64_t hash)
{
    uint32_t at = SEARCH(i, 0, t->schedules.len, t->schedules.at[i] < hash);
    if ((at < t->schedules.len && t->schedules.at[at] == hash) || at == SCHEDULES_KEPT)
        return false;
    vec_push(&t->schedules, 0);
    memmove(&t->schedules.at[at + 1], &t->schedules.at[at],
            (t->schedules.len - 1 - at) * sizeof *t->schedules.at);
    t->schedules.at[at] = hash;
    if (t->schedules.len > SCHEDULES_KEPT)
        t->schedules.len = SCHEDULES_KEPT;
    return true;
}

uint64_t campaign_schedules(const struct campaign_tested *t, bool *is_exact)
{
    uint32_t len = t->schedules.len;
    *is_exact = len < SCHEDULES_KEPT;
    if (*is_exact)
        return len;
    return (uint64_t)((double)(len - 1) / ((double)t->schedules.at[len - 1] / 0x1p64));
}

static struct campaign_end *end_of(struct campaign_tested *t, const char *words)
{
    for (uint32_t i = 0; i < t->ends.len; i++)
        if (strcmp(t->ends.at[i].words, words) == 0)
            return &t->ends.at[i];
    return NULL;
}

static void add_end(struct campaign_tested *t, const struct campaign_end *e, struct arena *mem)
{
    struct campaign_end *old = end_of(t, e->words);
    if (old) {
        old->count += e->count;
        return;
    }
    vec_push(&t->ends, *e);
    t->ends.at[t->ends.len - 1].words = arena_text(mem, e->words, strlen(e->words));
    t->ends.at[t->ends.len - 1].policy = arena_text(mem, e->policy, strlen(e->policy));
}

/* Piece by piece: this is done for every run, and most schedules are one piece. */
static bool hash_schedule(const char *directory, uint64_t *out)
{
    AUTO(str) struct str path = {0};
    uint8_t piece[16384];
    uint64_t hash = 0;
    ssize_t n = 0;
    str_add(&path, "%s/schedule", directory);
    AUTO(fd) int fd = open(path.at, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    do {
        size_t len = 0;
        while (len < sizeof piece && (n = read(fd, piece + len, sizeof piece - len)) > 0)
            len += (size_t)n;
        hash = hash_u64(hash ^ hash_bytes(piece, len));
    } while (n > 0);
    *out = hash; /* small ones are as likely as large ones */
    return n == 0;
}

static void take_run(struct seeds *s, const struct run_done *d, const char *policy)
{
    AUTO(str) struct str words = {0};
    uint64_t hash;
    run_kind(&words, &d->result);
    struct campaign_end e = {.words = words.at ? words.at : "",
                             .count = 1,
                             .failed = run_failed(&d->result),
                             .policy = policy,
                             .seed = d->id};
    add_end(&s->all, &e, &s->mem);
    s->all.runs++;
    if (hash_schedule(d->directory.at, &hash))
        schedules_add(&s->all, hash);
}

static void print_seeds(const struct seeds *s, struct str *out)
{
    str_add(out, "runs %llu\n", (unsigned long long)s->all.runs);
    for (uint32_t i = 0; i < s->all.ends.len; i++) {
        const struct campaign_end *e = &s->all.ends.at[i];
        str_add(out, "end %llu %d %llu ", (unsigned long long)e->count, e->failed,
                (unsigned long long)e->seed);
        str_shell(out, e->words);
        str_char(out, '\n');
    }
    for (uint32_t i = 0; i < s->all.schedules.len; i++)
        str_add(out, "schedule %016llx\n", (unsigned long long)s->all.schedules.at[i]);
}

static int write_targets(const struct campaign_unit *u, const char *scratch, struct str *path,
                         struct err *err)
{
    AUTO(str) struct str text = {0}, words = {0};
    str_add(path, "%s/targets", scratch);
    str_add(&words, "%s/sites", scratch);
    for (uint32_t i = 0; i < u->sites.len; i++)
        str_add(&text, "%s\n", u->sites.at[i]);
    if (file_write(words.at, text.at, text.len, err) < 0)
        return -1;
    return run_targets(words.at, path->at, err);
}

static int run_seeds(struct seeds *s, struct run_pool *pool, const struct campaign_unit *u,
                     struct run_opts *opts, struct err *err)
{
    for (uint64_t i = 0; i < u->runs && !run_signal(); i++) {
        struct run_done d = {0};
        opts->seed = u->seed + i;
        if (run_pool_start(pool, opts->seed, opts, err) < 0 || run_pool_next(pool, &d, err) < 0)
            return -1;
        take_run(s, &d, u->policy);
        run_done_drop(&d);
    }
    return run_signal() ? err_set(err, "stopped") : 0;
}

int seeds_run(const struct campaign_unit *u, const struct campaign_test *t, uint64_t timeout_s,
              const char *scratch, struct str *out, struct err *err)
{
    struct seeds s = {0};
    AUTO(str) struct str targets = {0}, store = {0};
    VEC(char *) argv = {0};
    struct run_pool *pool = NULL;
    struct run_opts opts = {.policy = u->policy,
                            .no_trace = true,
                            .timeout_s = (uint32_t)timeout_s,
                            .input = *t->input ? t->input : "/dev/null"};
    for (uint32_t i = 0; i < t->argv.len; i++)
        vec_push(&argv, (char *)(uintptr_t)t->argv.at[i]);
    vec_push(&argv, NULL);
    str_add(&store, "%s/seeds.heddle", scratch);
    struct run_pool_opts pool_opts = {.jobs = 1, .store = store.at, .scratch = store.at};
    int result = u->sites.len ? write_targets(u, scratch, &targets, err) : 0;
    opts.targets = u->sites.len ? targets.at : NULL;
    if (result == 0)
        result = directory_make(store.at, err);
    if (result == 0)
        result = run_pool_open(&pool, argv.at, &pool_opts, err);
    if (result == 0)
        result = run_seeds(&s, pool, u, &opts, err);
    if (pool)
        run_pool_close(pool);
    if (result == 0)
        print_seeds(&s, out);
    vec_done(&argv);
    vec_done(&s.all.ends);
    vec_done(&s.all.schedules);
    arena_done(&s.mem);
    return result;
}

/* ---- merging ---------------------------------------------------------------------------- */

static bool take_line(struct campaign_tested *t, const campaign_words *w, const char *policy,
                      struct arena *mem)
{
    struct campaign_end e = {.policy = policy};
    uint64_t n, failed;
    const char *key = w->len > 1 ? w->at[0] : "";
    if (strcmp(key, "schedule") == 0) {
        schedules_add(t, strtoull(w->at[1], NULL, 16));
        return true;
    }
    if (strcmp(key, "runs") == 0 && text_number(text_of(w->at[1]), &n)) {
        t->runs += n;
        return true;
    }
    if (strcmp(key, "end") != 0 || w->len != 5 || !text_number(text_of(w->at[1]), &e.count) ||
        !text_number(text_of(w->at[2]), &failed) || !text_number(text_of(w->at[3]), &e.seed))
        return false;
    e.failed = failed;
    e.words = w->at[4];
    add_end(t, &e, mem);
    return true;
}

int seeds_merge(struct campaign_tested *t, struct text lines, const char *policy,
                struct arena *mem, struct err *err)
{
    struct text line;
    while (words_next_line(&lines, &line)) {
        AUTO(arena) struct arena scratch = {0};
        campaign_words words = {0};
        bool good = campaign_split(&scratch, line, &words, err) == 0 &&
                    take_line(t, &words, policy, mem);
        vec_done(&words);
        if (!good)
            return err_set(err, "'%.*s' tells nothing about runs", TEXT_ARG(line));
    }
    return 0;
}
