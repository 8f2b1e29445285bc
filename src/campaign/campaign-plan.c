/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign-plan: what is to be done, as text: the plan, which is written once, and the units of
 * each round, a file for each thousand. A round is there when its own small file is, which is
 * written last. */
#include "campaign/campaign-parts.h"

#include "run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAN_HEAD "heddle-campaign 1"
#define ROUND_HEAD "heddle-round 1"

static const char *const kind_words[] = {
#define KIND(name, word, meaning) word,
#include "campaign/kind.def"
#undef KIND
};

const char *unit_kind_word(enum unit_kind kind)
{
    return kind_words[kind];
}

void campaign_plan_done(struct campaign_plan *p)
{
    for (uint32_t i = 0; i < p->tests.len; i++) {
        vec_done(&p->tests.at[i].set);
        vec_done(&p->tests.at[i].argv);
    }
    vec_done(&p->tests);
    vec_done(&p->files);
    vec_done(&p->policies);
    vec_done(&p->patches);
    vec_done(&p->mutants);
    arena_done(&p->mem);
}

/* ---- tests ------------------------------------------------------------------------------ */

static const char *make_name(struct campaign_plan *p, const campaign_words *argv,
                             const char *input)
{
    AUTO(str) struct str name = {0};
    str_add(&name, "%s", base_name(argv->at[0]));
    for (uint32_t i = 1; i < argv->len && name.len < 40; i++)
        str_add(&name, " %s", argv->at[i]);
    if (*input)
        str_add(&name, " <%s", base_name(input));
    size_t len = name.len;
    for (uint32_t i = 0, again = 1; i < p->tests.len; i++)
        if (strcmp(p->tests.at[i].name, name.at) == 0) {
            name.len = len;
            str_add(&name, " #%u", ++again);
            i = NONE; /* from the first one again */
        }
    return str_keep(&p->mem, &name);
}

/* From the root, so that it is found from anywhere; one that has no slash is found by PATH. */
static const char *find_program(struct campaign_plan *p, const char *directory,
                                const char *word, struct err *err)
{
    AUTO(str) struct str path = {0}, found = {0};
    char absolute[PATH_MAX];
    if (strchr(word, '/') && word[0] != '/')
        str_add(&path, "%s/", directory);
    str_add(&path, "%s", word);
    if (!program_path(&found, path.at) || !realpath(found.at, absolute)) {
        err_set(err, "%s: cannot be executed", path.at);
        return NULL;
    }
    return arena_text(&p->mem, absolute, strlen(absolute));
}

int campaign_add_test(struct campaign_plan *p, const char *directory,
                      const campaign_words *argv, const char *input, const campaign_words *set,
                      struct err *err)
{
    struct campaign_test t = {.input = ""};
    char absolute[PATH_MAX];
    if (argv->len == 0)
        return err_set(err, "a test without a program");
    if (!realpath(directory, absolute))
        return err_sys(err, "%s", directory);
    t.directory = arena_text(&p->mem, absolute, strlen(absolute));
    const char *program = find_program(p, t.directory, argv->at[0], err);
    if (!program)
        return -1;
    if (input && !realpath(input, absolute))
        return err_sys(err, "%s", input);
    if (input)
        t.input = arena_text(&p->mem, absolute, strlen(absolute));
    t.name = make_name(p, argv, t.input);
    for (uint32_t i = 0; i < argv->len; i++)
        vec_push(&t.argv, i ? arena_text(&p->mem, argv->at[i], strlen(argv->at[i])) : program);
    for (uint32_t i = 0; set && i < set->len; i++)
        vec_push(&t.set, arena_text(&p->mem, set->at[i], strlen(set->at[i])));
    vec_push(&p->tests, t);
    return 0;
}

int campaign_add_trace(struct campaign_plan *p, const char *path, uint64_t chunks,
                       struct err *err)
{
    struct campaign_test t = {.input = "", .directory = "/", .chunks = chunks};
    char absolute[PATH_MAX];
    if (chunks == 0 || chunks > PREDICT_PARTS_MAX)
        return err_set(err, "campaign: --chunks %llu: from 1 to %d", (unsigned long long)chunks,
                       PREDICT_PARTS_MAX);
    if (!realpath(path, absolute) || access(path, R_OK) < 0)
        return err_sys(err, "%s", path);
    vec_push(&t.argv, arena_text(&p->mem, absolute, strlen(absolute)));
    t.name = make_name(p, &t.argv, "");
    vec_push(&p->tests, t);
    return 0;
}

/* ---- the plan --------------------------------------------------------------------------- */

static void print_line(struct str *out, const char *key, const campaign_words *words)
{
    words_add(out, key);
    words_add_all(out, words);
    str_char(out, '\n');
}

static void print_test(struct str *out, const struct campaign_test *t)
{
    words_add(out, "test");
    words_add(out, t->name);
    words_add(out, t->directory);
    words_add(out, t->input);
    str_char(out, '\n');
    if (t->set.len > 0)
        print_line(out, "set", &t->set);
    if (t->chunks > 0)
        str_add(out, "chunks %llu\n", (unsigned long long)t->chunks);
    print_line(out, "run", &t->argv);
}

int plan_write(const struct campaign_plan *p, const char *directory, struct err *err)
{
    AUTO(str) struct str out = {0}, path = {0};
    str_add(&out, PLAN_HEAD "\nruns %llu\nseconds %llu\ntimeout %llu\ncheck %llu\n",
            (unsigned long long)p->runs, (unsigned long long)p->seconds,
            (unsigned long long)p->timeout_s, (unsigned long long)p->check_s);
    if (p->memory_mb > 0)
        str_add(&out, "megabytes %llu\n", (unsigned long long)p->memory_mb);
    print_line(&out, "policies", &p->policies);
    for (uint32_t i = 0; i < p->files.len; i++) {
        const struct campaign_file *f = &p->files.at[i];
        words_add(&out, "file");
        words_add(&out, f->hash);
        words_add(&out, f->path);
        words_add(&out, f->whose);
        str_char(&out, '\n');
    }
    for (uint32_t i = 0; i < p->tests.len; i++)
        print_test(&out, &p->tests.at[i]);
    if (p->patches.len > 0)
        print_line(&out, "patches", &p->patches);
    if (p->mutants.len > 0)
        print_line(&out, "mutants", &p->mutants);
    str_add(&out, "end\n");
    file_of(&path, directory, "plan");
    return file_publish(path.at, &out, err);
}

static bool number_of(const char *word, uint64_t *out)
{
    return text_number(text_of(word), out);
}

static void move_words(campaign_words *from, uint32_t first, campaign_words *to)
{
    for (uint32_t i = first; i < from->len; i++)
        vec_push(to, from->at[i]);
}

/* One line of the plan. False: there is no such line. */
static bool take_line(struct campaign_plan *p, campaign_words *w, bool *ended)
{
    const char *key = w->at[0];
    if (strcmp(key, "end") == 0)
        return *ended = true;
    if (strcmp(key, "runs") == 0 && w->len == 2)
        return number_of(w->at[1], &p->runs);
    if (strcmp(key, "seconds") == 0 && w->len == 2)
        return number_of(w->at[1], &p->seconds);
    if (strcmp(key, "timeout") == 0 && w->len == 2)
        return number_of(w->at[1], &p->timeout_s);
    if (strcmp(key, "check") == 0 && w->len == 2)
        return number_of(w->at[1], &p->check_s) && p->check_s > 0;
    if (strcmp(key, "megabytes") == 0 && w->len == 2)
        return number_of(w->at[1], &p->memory_mb);
    if (strcmp(key, "policies") == 0)
        return move_words(w, 1, &p->policies), true;
    if (strcmp(key, "patches") == 0)
        return move_words(w, 1, &p->patches), true;
    if (strcmp(key, "mutants") == 0)
        return move_words(w, 1, &p->mutants), true;
    if (strcmp(key, "file") == 0 && w->len == 4) {
        vec_push(&p->files,
                 (struct campaign_file){.hash = w->at[1], .path = w->at[2], .whose = w->at[3]});
        return true;
    }
    if (strcmp(key, "test") == 0 && w->len == 4) {
        vec_push(&p->tests, (struct campaign_test){
                                .name = w->at[1], .directory = w->at[2], .input = w->at[3]});
        return true;
    }
    struct campaign_test *t = p->tests.len ? &p->tests.at[p->tests.len - 1] : NULL;
    if (t && strcmp(key, "set") == 0)
        return move_words(w, 1, &t->set), true;
    if (t && strcmp(key, "chunks") == 0 && w->len == 2)
        return number_of(w->at[1], &t->chunks) && t->chunks <= PREDICT_PARTS_MAX;
    if (t && strcmp(key, "run") == 0 && w->len > 1 && t->argv.len == 0)
        return move_words(w, 1, &t->argv), true;
    return false;
}

static int take_lines(struct campaign_plan *p, struct text rest, struct err *err)
{
    struct text line;
    bool ended = false;
    if (!words_next_line(&rest, &line) || !text_is(line, TEXT(PLAN_HEAD)))
        return err_set(err, "not the plan of a campaign, or of another version of Heddle");
    for (uint32_t number = 2; words_next_line(&rest, &line); number++) {
        campaign_words words = {0};
        int failed = campaign_split(&p->mem, line, &words, err);
        bool is_good = !failed && words.len > 0 && take_line(p, &words, &ended);
        vec_done(&words);
        if (!is_good)
            return failed ? -1 : err_set(err, "line %u makes no sense", number);
    }
    for (uint32_t i = 0; i < p->tests.len; i++)
        if (p->tests.at[i].argv.len == 0)
            return err_set(err, "test %s has no program", p->tests.at[i].name);
    return ended ? 0 : err_set(err, "cut short");
}

int plan_read(struct campaign_plan *p, const char *directory, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    file_of(&path, directory, "plan");
    if (bytes_read(&b, path.at, err) < 0)
        return -1;
    if (b.len > UINT32_MAX)
        return err_set(err, "%s: too long", path.at);
    struct text all = {(const char *)b.at, (uint32_t)b.len};
    return take_lines(p, all, err) < 0 ? err_in(err, "%s", path.at) : 0;
}

/* ---- units ------------------------------------------------------------------------------ */

static void put_number(struct str *out, const char *key, uint64_t n)
{
    if (n > 0)
        str_add(out, " %s=%llu", key, (unsigned long long)n);
}

static void put_text(struct str *out, const char *key, const char *value)
{
    AUTO(str) struct str word = {0};
    if (!value || !*value)
        return;
    str_add(&word, "%s=%s", key, value);
    words_add(out, word.at);
}

void unit_print(struct str *out, const struct campaign_unit *u)
{
    str_u64(out, u->number);
    str_add(out, " %s %u", kind_words[u->kind], u->test);
    put_text(out, "policy", u->policy);
    put_number(out, "seed", u->seed);
    put_number(out, "runs", u->runs);
    if (u->kind == UNIT_CONFIRM)
        str_add(out, " from=%llu", (unsigned long long)u->from);
    put_text(out, "patch", u->patch);
    put_number(out, "part", u->part);
    put_number(out, "parts", u->parts);
    for (uint32_t i = 0; i < u->ids.len; i++)
        put_text(out, "id", u->ids.at[i]);
    for (uint32_t i = 0; i < u->sites.len; i++)
        put_text(out, "site", u->sites.at[i]);
}

uint64_t unit_hash(const struct campaign_unit *u)
{
    AUTO(str) struct str line = {0};
    unit_print(&line, u);
    return hash_bytes(line.at, line.len);
}

static bool take_word(struct campaign_unit *u, const char *word)
{
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = {{"seed", offsetof(struct campaign_unit, seed)},
                   {"runs", offsetof(struct campaign_unit, runs)},
                   {"from", offsetof(struct campaign_unit, from)},
                   {"part", offsetof(struct campaign_unit, part)},
                   {"parts", offsetof(struct campaign_unit, parts)}};
    const char *value;
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if ((value = words_value(word, numbers[i].key)))
            return number_of(value, (uint64_t *)((char *)u + numbers[i].offset));
    if ((value = words_value(word, "policy")))
        u->policy = value;
    else if ((value = words_value(word, "patch")))
        u->patch = value;
    else if ((value = words_value(word, "id")))
        vec_push(&u->ids, value);
    else if ((value = words_value(word, "site")))
        vec_push(&u->sites, value);
    return value != NULL;
}

static enum unit_kind find_kind(const char *word)
{
    enum unit_kind kind = 0;
    while (kind < UNIT_KINDS && strcmp(kind_words[kind], word) != 0)
        kind++;
    return kind;
}

int unit_parse(struct campaign_unit *u, struct text line, struct arena *mem, struct err *err)
{
    campaign_words words = {0};
    uint64_t test = 0;
    *u = (struct campaign_unit){.policy = "", .patch = ""};
    bool good = campaign_split(mem, line, &words, err) == 0 && words.len >= 3 &&
                number_of(words.at[0], &u->number) && number_of(words.at[2], &test) &&
                test < NONE && (u->kind = find_kind(words.at[1])) < UNIT_KINDS;
    u->test = (uint32_t)test;
    for (uint32_t i = 3; good && i < words.len; i++)
        good = take_word(u, words.at[i]);
    vec_done(&words);
    return good ? 0 : err_set(err, "'%.*s' is no unit", TEXT_ARG(line));
}

static void unit_done(struct campaign_unit *u)
{
    vec_done(&u->ids);
    vec_done(&u->sites);
}

void campaign_units_done(campaign_units *units)
{
    for (uint32_t i = 0; i < units->len; i++)
        unit_done(&units->at[i]);
    vec_done(units);
}

/* Units of one file; only: the one that is wanted, or UINT64_MAX. */
static int read_group(const struct campaign *c, uint64_t first, uint64_t only,
                      struct arena *mem, campaign_units *out, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    file_of_group(&path, c->directory, "units", first);
    if (bytes_read(&b, path.at, err) < 0)
        return -1;
    struct text rest = {(const char *)b.at, (uint32_t)b.len}, line;
    if (b.len > UINT32_MAX || b.len == 0 || b.at[b.len - 1] != '\n')
        return err_set(err, "%s: cut short", path.at);
    for (uint64_t n = first; words_next_line(&rest, &line); n++) {
        struct campaign_unit u;
        if (only != UINT64_MAX && n != only)
            continue;
        if (unit_parse(&u, line, mem, err) < 0)
            return err_in(err, "%s", path.at);
        if (u.number != n) {
            unit_done(&u);
            return err_set(err, "%s: unit %llu is missing", path.at, (unsigned long long)n);
        }
        vec_push(out, u);
    }
    return 0;
}

int campaign_read_units(const struct campaign *c, const struct campaign_round *r,
                        struct arena *mem, campaign_units *out, struct err *err)
{
    for (uint64_t first = r->first; first < r->first + r->count; first += CAMPAIGN_GROUP)
        if (read_group(c, first, UINT64_MAX, mem, out, err) < 0)
            return -1;
    return out->len == r->count ? 0 : err_set(err, "round %u is not complete", r->number);
}

int unit_find(const struct campaign *c, uint64_t number, struct campaign_unit *u,
              struct arena *mem, struct err *err)
{
    campaign_units one = {0};
    const struct campaign_round *last = campaign_last(c);
    if (number >= last->first + last->count)
        return err_set(err, "there is no unit %llu", (unsigned long long)number);
    if (read_group(c, number / CAMPAIGN_GROUP * CAMPAIGN_GROUP, number, mem, &one, err) < 0)
        return -1;
    if (one.len == 1)
        *u = one.at[0];
    uint32_t found = one.len;
    vec_done(&one);
    return found == 1 ? 0 : err_set(err, "there is no unit %llu", (unsigned long long)number);
}

void campaign_describe(struct str *out, const struct campaign *c, const struct campaign_unit *u)
{
    const struct campaign_plan *p = &c->plan;
    const char *what =
        u->kind == UNIT_MUTANTS ? base_name(p->mutants.at[u->test]) : p->tests.at[u->test].name;
    str_add(out, "%s %s", kind_words[u->kind], what);
    if (*u->policy)
        str_add(out, " %s", u->policy);
    if (u->parts > 0)
        str_add(out, ", part %llu of %llu", (unsigned long long)u->part,
                (unsigned long long)u->parts);
    if (u->runs > 0)
        str_add(out, ", seeds %llu to %llu", (unsigned long long)u->seed,
                (unsigned long long)(u->seed + u->runs - 1));
    if (u->ids.len > 0)
        str_add(out, ", %u findings", u->ids.len);
}

/* ---- rounds ----------------------------------------------------------------------------- */

static int make_group(struct campaign *c, const campaign_units *units, uint64_t first,
                      struct err *err)
{
    static const char *const places[] = {"results", "failed"};
    AUTO(str) struct str text = {0}, path = {0};
    uint64_t base = units->at[0].number;
    for (uint64_t i = first - base; i < units->len && i < first - base + CAMPAIGN_GROUP; i++) {
        unit_print(&text, &units->at[i]);
        str_char(&text, '\n');
    }
    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        file_of_group(&path, c->directory, places[i], first);
        if (directory_make(path.at, err) < 0)
            return -1;
    }
    file_of_group(&path, c->directory, "units", first);
    return file_publish(path.at, &text, err);
}

int round_publish(struct campaign *c, campaign_units *units, struct err *err)
{
    AUTO(str) struct str text = {0}, path = {0};
    struct campaign_round r = {.number = c->rounds.len + 1, .count = units->len};
    CHECK(units->len > 0);
    if (c->rounds.len > 0) {
        uint64_t end = campaign_last(c)->first + campaign_last(c)->count;
        r.first = (end + CAMPAIGN_GROUP - 1) / CAMPAIGN_GROUP * CAMPAIGN_GROUP;
    }
    for (uint32_t i = 0; i < units->len; i++)
        units->at[i].number = r.first + i;
    for (uint64_t first = r.first; first < r.first + r.count; first += CAMPAIGN_GROUP)
        if (make_group(c, units, first, err) < 0)
            return -1;
    str_add(&text, ROUND_HEAD "\nfirst %llu\ncount %llu\n", (unsigned long long)r.first,
            (unsigned long long)r.count);
    file_of_round(&path, c->directory, "round", r.number);
    if (file_publish(path.at, &text, err) < 0)
        return -1;
    vec_push(&c->rounds, r);
    return 0;
}

static bool take_round(struct text rest, struct campaign_round *r)
{
    struct text line;
    bool good = words_next_line(&rest, &line) && text_is(line, TEXT(ROUND_HEAD));
    return good && words_next_line(&rest, &line) && line.len > 6 &&
           text_number((struct text){line.at + 6, line.len - 6}, &r->first) &&
           words_next_line(&rest, &line) && line.len > 6 &&
           text_number((struct text){line.at + 6, line.len - 6}, &r->count) && r->count > 0;
}

static int read_rounds(struct campaign *c, struct err *err)
{
    AUTO(str) struct str path = {0};
    for (uint32_t n = 1;; n++) {
        AUTO(bytes) struct bytes b = {0};
        struct campaign_round r = {.number = n};
        file_of_round(&path, c->directory, "round", n);
        if (access(path.at, F_OK) < 0)
            return n > 1 ? 0 : err_sys(err, "%s", path.at);
        if (bytes_read(&b, path.at, err) < 0)
            return -1;
        if (!take_round((struct text){(const char *)b.at, (uint32_t)b.len}, &r))
            return err_set(err, "%s: not a round of a campaign", path.at);
        vec_push(&c->rounds, r);
    }
}

int campaign_open(struct campaign *c, const char *directory, struct err *err)
{
    *c = (struct campaign){.directory = directory};
    if (plan_read(&c->plan, directory, err) == 0 && read_rounds(c, err) == 0)
        return 0;
    campaign_close(c);
    return -1;
}

void campaign_close(struct campaign *c)
{
    campaign_plan_done(&c->plan);
    vec_done(&c->rounds);
}

static int make_directories(const char *directory, struct err *err)
{
    static const char *const names[] = {"units", "results", "failed", "witnesses"};
    AUTO(str) struct str path = {0};
    if (run_make_directory(directory, err) < 0)
        return -1;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        file_of(&path, directory, names[i]);
        if (run_make_directory(path.at, err) < 0)
            return -1;
    }
    return 0;
}

int campaign_new(struct campaign_plan *p, const char *directory, struct err *err)
{
    struct campaign c = {.directory = directory};
    campaign_units units = {0};
    next_first(p, &units);
    int result = units.len > 0 ? 0 : err_set(err, "nothing to do: no test and no mutant");
    if (result == 0)
        result = files_hash(p, err);
    if (result == 0)
        result = make_directories(directory, err);
    if (result == 0)
        result = round_publish(&c, &units, err);
    if (result == 0)
        result = plan_write(p, directory, err);
    campaign_units_done(&units);
    vec_done(&c.rounds);
    return result;
}
