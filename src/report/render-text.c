/* SPDX-License-Identifier: Apache-2.0
 *
 * render-text: findings on a terminal. Each is one sentence, a table with a column per thread
 * and a row per step, and a few lines on why and what next: 25 lines at most. */
#include "report/report.h"

#include <string.h>

enum {
    WIDTH_DEFAULT = 80,
    LINES_MAX = 25,
    ROWS_MAX = 12,   /* of the table */
    COLUMNS_MAX = 4, /* more threads share the last one, named in each row */
    INDENT = 4,
    THREADS_SHOWN = 64,
    FRAMES_MAX = 7, /* of a stack */
    LABEL = 7,
};

static const char RED[] = "\x1b[31m", BOLD[] = "\x1b[1m", DIM[] = "\x1b[2m",
                  PLAIN[] = "\x1b[0m";

static void add_colour(const struct report_opts *o, const char *code, struct str *out)
{
    if (o->colour)
        str_add(out, "%s", code);
}

/* Breaks a text at spaces; every line but the first is indented. */
static void add_wrapped(const char *text, uint32_t width, uint32_t indent, struct str *out)
{
    uint32_t column = indent;
    for (const char *at = text; *at;) {
        size_t word = strcspn(at, " ");
        if (column > indent && column + 1 + word > width) {
            str_add(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            str_char(out, ' ');
            column++;
        }
        str_bytes(out, at, word);
        column += (uint32_t)word;
        at += word + strspn(at + word, " ");
    }
    str_char(out, '\n');
}

static void add_line(const char *label, const char *text, const struct report_opts *o,
                     struct str *out)
{
    if (!*text)
        return;
    str_add(out, "%*s", INDENT, "");
    add_colour(o, DIM, out);
    str_add(out, "%-*s", LABEL, label);
    add_colour(o, PLAIN, out);
    add_wrapped(text, o->width, INDENT + LABEL, out);
}

/* ---- the table ------------------------------------------------------------------------- */

struct columns {
    const struct finding *f;
    uint32_t column[THREADS_SHOWN]; /* by thread: 1 and up; 0: it has no step */
    uint32_t count, width;
    bool one_file;
    bool shared; /* the last column is that of several threads */
};

static struct columns columns_of(const struct finding *f, const struct report_opts *o)
{
    struct columns c = {.f = f, .one_file = true};
    for (uint32_t i = 0; i < f->steps.len; i++) {
        if (f->steps.at[i].thread < THREADS_SHOWN)
            c.column[f->steps.at[i].thread] = 1;
        c.one_file &= strcmp(finding_own_place(&f->steps.at[i])->file,
                             finding_own_place(&f->steps.at[0])->file) == 0;
    }
    for (uint32_t t = 0; t < THREADS_SHOWN; t++)
        if (c.column[t]) {
            c.shared |= c.count == COLUMNS_MAX;
            c.column[t] = c.count < COLUMNS_MAX ? ++c.count : c.count;
        }
    c.width = c.count ? (o->width - INDENT - 4) / c.count : 0;
    return c;
}

/* Padded to the column's width, or cut to it. */
static void add_cell(const struct str *cell, uint32_t width, bool last, struct str *out)
{
    size_t len = cell->len;
    if (len + 1 > width && !last) {
        len = width > 3 ? width - 3 : 0;
        str_bytes(out, cell->at, len);
        str_add(out, ".. ");
        return;
    }
    str_bytes(out, cell->at, len);
    if (!last)
        str_add(out, "%*s", (int)(width - len), "");
}

static void add_step(const struct columns *c, const struct finding_step *s, struct str *cell)
{
    const struct place *p = finding_own_place(s);
    if (!c->one_file)
        str_add(cell, "%s:", base_name(p->file));
    str_add(cell, "%u %s", p->line, action_text(s->action));
    if (*s->object)
        str_add(cell, " %s", s->object);
    if (*s->value)
        str_add(cell, " = %s", s->value);
    for (uint32_t i = 0; i < s->held.len; i++)
        str_add(cell, "%s%s%s", i ? ", " : " [", s->held.at[i],
                i + 1 == s->held.len ? "]" : "");
}

/* Did it read something stale, or take effect early? */
static bool is_weak(const struct finding *f, const struct finding_step *s)
{
    for (uint32_t i = 0; i < f->weak.len; i++)
        if (s->event != NO_EVENT && f->weak.at[i].event == s->event)
            return true;
    return false;
}

static void add_row(const struct columns *c, uint32_t number, const struct finding_step *s,
                    const struct report_opts *o, struct str *out)
{
    AUTO(str) struct str cell = {0};
    uint32_t column = s->thread < THREADS_SHOWN ? c->column[s->thread] : c->count;
    str_add(out, "%*s%2u%c ", INDENT, "", number,
            is_weak(c->f, s) ? '~'
            : s->is_key      ? '>'
                             : ' ');
    for (uint32_t i = 1; i < column; i++)
        str_add(out, "%*s", (int)c->width, "");
    if (c->shared && column == c->count) {
        const char *name = c->f->threads.at[s->thread].name;
        str_add(&cell, "%.*s: ", (int)strcspn(name, " "), name);
    }
    add_step(c, s, &cell);
    if (s->is_key)
        add_colour(o, BOLD, out);
    add_cell(&cell, c->width, true, out);
    if (s->is_key)
        add_colour(o, PLAIN, out);
    str_char(out, '\n');
}

static void add_head(const struct columns *c, const struct report_opts *o, struct str *out)
{
    str_add(out, "%*s    ", INDENT, "");
    add_colour(o, DIM, out);
    uint32_t shown = 0;
    for (uint32_t t = 0; t < c->f->threads.len && t < THREADS_SHOWN && shown < c->count; t++) {
        if (c->column[t] != shown + 1)
            continue;
        AUTO(str) struct str cell = {0};
        shown++;
        if (c->shared && shown == c->count)
            str_add(&cell, "others");
        else
            str_add(&cell, "%s", c->f->threads.at[t].name);
        add_cell(&cell, c->width, shown == c->count, out);
    }
    if (c->one_file)
        str_add(out, "   (%s)", finding_own_place(&c->f->steps.at[0])->file);
    add_colour(o, PLAIN, out);
    str_char(out, '\n');
}

/* Of a long schedule the steps that matter stay, and those before them. */
static void add_table(const struct finding *f, const struct report_opts *o, uint32_t rows,
                      struct str *out)
{
    if (f->steps.len == 0)
        return;
    struct columns c = columns_of(f, o);
    uint32_t spare = rows, left_out = 0;
    for (uint32_t i = 0; i < f->steps.len; i++)
        spare -= f->steps.at[i].is_key && spare > 0;
    add_head(&c, o, out);
    uint32_t plain = 0, total = 0;
    for (uint32_t i = 0; i < f->steps.len; i++)
        total += !f->steps.at[i].is_key;
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const struct finding_step *s = &f->steps.at[i];
        if (!s->is_key && total > spare && plain++ < total - spare) {
            left_out++;
            continue;
        }
        if (left_out > 0)
            str_add(out, "%*s    .. %u steps ..\n", INDENT, "", left_out);
        left_out = 0;
        add_row(&c, i + 1, s, o, out);
    }
}

/* ---- where: line and callers of each step that matters, side by side --------------------- */

typedef VEC(const char *) text_lines;

static void add_frame(text_lines *out, struct arena *mem, const struct place *p,
                      const char *lines)
{
    AUTO(str) struct str text = {0};
    uint32_t depth = 0;
    for (const char *c = p->function; *c; c++) { /* arguments of templates say little */
        if (*c == '<' && c[1] && strchr(c, '>') && c > p->function)
            depth++;
        if (depth == 0)
            str_char(&text, *c);
        if (*c == '>' && depth > 0)
            depth--;
    }
    str_add(&text, " %s", base_name(p->file));
    if (p->line > 0)
        str_add(&text, ":%u", p->line);
    else if (*lines)
        str_add(&text, ":%s", lines);
    vec_push(out, str_keep(mem, &text));
}

static text_lines lines_of(const struct finding *f, const struct finding_step *s,
                           struct arena *mem)
{
    AUTO(str) struct str text = {0};
    text_lines out = {0};
    const struct place *made = &f->threads.at[s->thread].created;
    if (s->text && *s->text) {
        str_add(&text, "%u: %s", finding_own_place(s)->line, s->text);
        vec_push(&out, str_keep(mem, &text));
    }
    if (s->stack.len > 0 || *made->file)
        add_frame(&out, mem, &s->place, "");
    uint32_t len = s->stack.len; /* what the library has around a thread is left out */
    while (len > 0 && strncmp(s->stack.at[len - 1].place.file, "/usr/", 5) == 0)
        len--;
    for (uint32_t i = 0; i < len && i < FRAMES_MAX; i++)
        add_frame(&out, mem, &s->stack.at[i].place, s->stack.at[i].lines);
    text.len = 0;
    if (len > FRAMES_MAX) {
        str_add(&text, ".. %u more", len - FRAMES_MAX);
        vec_push(&out, str_keep(mem, &text));
    }
    text.len = 0;
    if (*made->file) {
        str_add(&text, "made at %s:%u", base_name(made->file), made->line);
        vec_push(&out, str_keep(mem, &text));
    }
    return out;
}

static void add_side_by_side(const text_lines *left, const text_lines *right,
                             const struct report_opts *o, struct str *out)
{
    uint32_t width = (o->width - INDENT - LABEL) / 2;
    uint32_t rows = left->len > right->len ? left->len : right->len;
    for (uint32_t i = 0; i < rows; i++) {
        AUTO(str) struct str cell = {0};
        str_add(out, "%*s", INDENT, "");
        add_colour(o, DIM, out);
        str_add(out, "%-*s", LABEL, i == 0 ? "at" : "");
        add_colour(o, PLAIN, out);
        str_add(&cell, "%s", i < left->len ? left->at[i] : "");
        add_cell(&cell, width, i >= right->len, out);
        cell.len = 0;
        if (i < right->len) {
            str_add(&cell, "%s", right->at[i]);
            if (cell.len > width)
                add_cell(&cell, width, false, out);
            else
                add_cell(&cell, width, true, out);
        }
        while (out->at[out->len - 1] == ' ')
            out->at[--out->len] = 0;
        str_char(out, '\n');
    }
}

static bool is_same_place(const text_lines *a, const text_lines *b)
{
    for (uint32_t i = 0; i < a->len && i < b->len; i++)
        if (strcmp(a->at[i], b->at[i]) != 0)
            return false;
    return a->len == b->len;
}

/* "T1, T2 14: x++; < handle a.c:20 < main a.c:31": the first of these steps, and the threads of
 * all that are at the same place. */
static void add_in_a_line(const struct finding *f, const struct finding_step *const *steps,
                          const text_lines *lines, uint32_t count, const struct report_opts *o,
                          struct str *out)
{
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; i < count; i++) {
        const char *name = f->threads.at[steps[i]->thread].name;
        bool is_told = false;
        for (uint32_t k = 0; k < i; k++)
            is_told |= steps[k]->thread == steps[i]->thread;
        if (!is_told && is_same_place(&lines[0], &lines[i]))
            str_add(&text, "%s%.*s", i ? ", " : "", (int)strcspn(name, " "), name);
    }
    for (uint32_t i = 0; i < lines[0].len; i++)
        str_add(&text, "%s%s", i == 0 ? " " : " < ", lines[0].at[i]);
    add_line("at", text.at, o, out);
}

static void add_where(const struct finding *f, const struct report_opts *o, struct str *out)
{
    enum { STEPS_MAX = 8 };
    AUTO(arena) struct arena mem = {0};
    text_lines all[STEPS_MAX];
    const struct finding_step *step[STEPS_MAX];
    uint32_t count = 0, told = 0;
    for (uint32_t i = 0; i < f->steps.len && count < STEPS_MAX; i++)
        if (f->steps.at[i].is_key) {
            step[count] = &f->steps.at[i];
            told += step[count]->stack.len > 0 || (step[count]->text && *step[count]->text);
            all[count] = lines_of(f, step[count], &mem);
            count++;
        }
    if (told > 0 && count == 2) {
        bool is_turned = step[0]->thread > step[1]->thread;
        add_side_by_side(&all[is_turned], &all[!is_turned], o, out);
    }
    for (uint32_t i = 0; told > 0 && count != 2 && i < count; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i; k++)
            is_new &= !is_same_place(&all[k], &all[i]);
        if (is_new)
            add_in_a_line(f, step + i, all + i, count - i, o, out);
    }
    for (uint32_t i = 0; i < count; i++)
        vec_done(&all[i]);
}

/* ---- a finding ------------------------------------------------------------------------- */

static void add_title(const struct finding *f, const struct report_opts *o, struct str *out)
{
    const char *verdict = f->is_note ? "note" : f->is_confirmed ? "confirmed" : "predicted";
    add_colour(o, f->is_confirmed ? RED : BOLD, out);
    str_add(out, "%s", f->id);
    add_colour(o, PLAIN, out);
    str_add(out, "  %s", verdict);
    if (f->harm != HARM_NONE)
        str_add(out, ", harm: %s", harm_text(f->harm));
    if (f->alike > 0)
        str_add(out, ", %u more of the same cause", f->alike);
    str_char(out, '\n');
}

/* "silent: every read sees the same ..." */
static void add_values(const struct finding *f, const struct report_opts *o, struct str *out)
{
    AUTO(str) struct str text = {0};
    if (!f->values)
        return;
    str_add(&text, "%s: %s", effect_text(f->values), f->effect);
    add_line("values", text.at, o, out);
}

/* What no interleaving does, a row each, and who can do that. */
static void add_weak(const struct finding *f, const struct report_opts *o, struct str *out)
{
    for (uint32_t i = 0; i < f->weak.len; i++) {
        const struct finding_weak *w = &f->weak.at[i];
        AUTO(str) struct str text = {0};
        str_add(&text, "T%u  %s:%u  %s", w->thread, base_name(w->place.file), w->place.line,
                w->text);
        add_line("~", text.at, o, out);
        text.len = 0;
        str_add(&text, "allowed: %s.%s%s", w->allowed, *w->forbid ? "  Would forbid it: " : "",
                w->forbid);
        add_line("", text.at, o, out);
    }
    if (f->weak.len > 0)
        add_line("", weak_label_text(f->label), o, out);
}

/* Has the sentence said it? "word: reason" is said if the reason is. */
static bool is_said(const struct finding *f, const char *text)
{
    const char *reason = strstr(text, ": ");
    return strstr(f->message, text) || (reason && strstr(f->message, reason + 2));
}

/* The C library prints what an assertion is, too. */
static bool repeats_end(const struct finding *f, const char *line)
{
    const char *behind = strstr(line, ": ");
    return behind && strlen(behind) > 4 && strstr(f->ends, behind + 2);
}

/* So many rows of the table, as far as they are not what it is about; brief: no values. What
 * the sentence has said is not said again. */
static void add_finding(const struct finding *f, const struct report_opts *o, uint32_t rows,
                        bool brief, struct str *out)
{
    add_title(f, o, out);
    str_add(out, "%*s", INDENT, "");
    add_wrapped(f->message, o->width, INDENT, out);
    add_table(f, o, rows, out);
    add_weak(f, o, out);
    add_where(f, o, out);
    add_line("ends", f->ends, o, out);
    for (uint32_t i = 0, said = 0; i < f->said.len; i++)
        if (!repeats_end(f, f->said.at[i]))
            add_line(said++ == 0 ? "said" : "", f->said.at[i], o, out);
    if (!is_said(f, f->why))
        add_line("why", f->why, o, out);
    if (!is_said(f, f->source))
        add_line("meant", f->source, o, out);
    add_line("passes", f->passes, o, out);
    if (!brief)
        add_values(f, o, out);
    add_line("doubt", f->doubt, o, out);
    add_line("seen", f->seen ? f->seen : "", o, out);
    add_line("again", f->replay, o, out);
    add_line("mend", f->fix, o, out);
}

static uint32_t count_lines(const struct str *text)
{
    uint32_t lines = 0;
    for (size_t i = 0; i < text->len; i++)
        lines += text->at[i] == '\n';
    return lines;
}

void report_finding(const struct finding *f, const struct report_opts *opts, struct str *out)
{
    AUTO(str) struct str text = {0};
    struct report_opts o = *opts;
    o.width = o.width ? o.width < 40 ? 40 : o.width : WIDTH_DEFAULT;
    add_finding(f, &o, ROWS_MAX, false, &text);
    for (uint32_t rows = ROWS_MAX; rows > 0 && count_lines(&text) > LINES_MAX; rows--) {
        text.len = 0;
        add_finding(f, &o, rows, true, &text);
    }
    str_bytes(out, text.at, text.len);
}

/* ---- all of them ----------------------------------------------------------------------- */

/* The first names, and how many more there are. */
static void add_idle(const struct finding_list *l, const struct report_opts *o, struct str *out)
{
    enum { NAMES_MAX = 8 };
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; i < l->idle.len && i < NAMES_MAX; i++)
        str_add(&text, "%s%s", i ? ", " : "", l->idle.at[i]);
    if (l->idle.len == 0)
        return;
    if (l->idle.len > NAMES_MAX)
        str_add(&text, " and %u more", l->idle.len - NAMES_MAX);
    str_add(&text, ": no access in these functions was recorded");
    add_wrapped(text.at, o->width ? o->width : WIDTH_DEFAULT, 0, out);
}

static void add_accounts(const struct finding_list *l, const struct report_opts *o,
                         struct str *out)
{
    uint64_t candidates = 0, refuted = 0, unknown = 0;
    for (uint32_t i = 0; i < l->accounts.len; i++) {
        candidates += l->accounts.at[i].candidates;
        refuted += l->accounts.at[i].refuted;
        unknown += l->accounts.at[i].unknown;
    }
    add_colour(o, DIM, out);
    str_add(out, "looked at ");
    if (l->runs > 1)
        str_add(out, "%llu runs: ", (unsigned long long)l->runs);
    str_add(out,
            "%llu events of %llu threads; %llu candidates, %llu impossible, "
            "%llu undecided\n",
            (unsigned long long)l->events, (unsigned long long)l->threads,
            (unsigned long long)candidates, (unsigned long long)refuted,
            (unsigned long long)unknown);
    for (uint32_t i = 0; i < l->unseen.len; i++)
        str_add(out, "not looked at: %s\n", l->unseen.at[i]);
    add_idle(l, o, out);
    add_colour(o, PLAIN, out);
}

/* In one sentence: worth knowing, and no more. */
static void add_note(const struct finding *f, const struct report_opts *opts, struct str *out)
{
    struct report_opts o = *opts;
    o.width = o.width ? o.width < 40 ? 40 : o.width : WIDTH_DEFAULT;
    add_title(f, &o, out);
    str_add(out, "%*s", INDENT, "");
    add_wrapped(f->message, o.width, INDENT, out);
    add_line("again", f->replay, &o, out);
    str_char(out, '\n');
}

static void add_stopped(const struct finding_list *l, struct str *out)
{
    stopped_say(out, l);
    str_char(out, '\n');
    for (uint32_t i = 0; i < l->undone.len; i++) {
        str_add(out, "  ");
        undone_say(out, &l->undone.at[i]);
        str_char(out, '\n');
    }
}

/* Those that are told under this one, in a line each. */
static uint32_t add_variants(const struct finding_list *l, const struct finding *f,
                             const struct report_opts *opts, struct str *out)
{
    enum { VARIANTS_MAX = 3 };
    struct report_opts o = *opts;
    uint32_t count = 0;
    o.width = o.width ? o.width < 40 ? 40 : o.width : WIDTH_DEFAULT;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *v = &l->findings.at[i];
        AUTO(str) struct str text = {0};
        if (strcmp(v->cause, f->id) != 0 || !finding_is_shown(v) || count++ >= VARIANTS_MAX)
            continue;
        str_add(&text, "%s%s%s: %s", v->id, v->harm == HARM_NONE ? "" : ", harm: ",
                v->harm == HARM_NONE ? "" : harm_text(v->harm), v->message);
        add_line("also", text.at, &o, out);
    }
    if (count > VARIANTS_MAX) {
        AUTO(str) struct str text = {0};
        str_add(&text, "%u more: heddle list", count - VARIANTS_MAX);
        add_line("also", text.at, &o, out);
    }
    return count;
}

/* Which test found what. */
static void add_tests(const struct finding_list *l, const struct report_opts *opts,
                      struct str *out)
{
    for (uint32_t i = 0; i < l->tests.len; i++) {
        const struct finding_test *t = &l->tests.at[i];
        AUTO(str) struct str text = {0};
        uint32_t count = 0;
        for (uint32_t k = 0; k < t->ids.len; k++)
            if (finding_find(l, t->ids.at[k]))
                str_add(&text, "%s%s", count++ ? ", " : "", t->ids.at[k]);
        str_add(&text, "%s%s%s", count ? "" : "nothing found", *t->trouble ? "; " : "",
                t->trouble);
        str_add(out, "test %s: ", t->name);
        add_wrapped(text.at, opts->width ? opts->width : WIDTH_DEFAULT, INDENT, out);
    }
}

/* Its entry is that of another one, which is there. */
static bool is_variant(const struct finding_list *l, const struct finding *f)
{
    const struct finding *cause = *f->cause ? finding_find(l, f->cause) : NULL;
    return cause && finding_is_shown(f) && finding_is_shown(cause);
}

static void add_end(const struct finding_list *l, uint32_t shown, uint32_t variants,
                    struct str *out)
{
    if (shown == 0) {
        str_add(out, "no bug was found in %s%s\n", l->program,
                l->stopped_early ? " until then" : "");
        return;
    }
    str_add(out, "%u finding%s in %s", shown, shown == 1 ? "" : "s", l->program);
    if (variants > 0)
        str_add(out, ", and %u other%s of the same cause%s", variants, variants == 1 ? "" : "s",
                shown == 1 ? "" : "s");
    str_char(out, '\n');
}

static void render(const struct finding_list *l, const struct report_opts *opts,
                   struct str *out)
{
    uint32_t shown = 0, hidden = 0, weak = 0, variants = 0;
    bool is_aside = false;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *f = &l->findings.at[i];
        if (!opts->all && pattern_is(f->pattern, TRAIT_UNSEEN) && !f->is_confirmed &&
            !*f->with) {
            weak++;
            continue;
        }
        if (!opts->all && f->is_note && !*f->with) {
            add_note(f, opts, out);
            continue;
        }
        if (!opts->all && !finding_is_shown(f)) {
            hidden++;
            continue;
        }
        if (!opts->all && is_variant(l, f))
            continue;
        shown++;
        if (finding_is_aside(f) && !is_aside)
            str_add(out, "Of volatile accesses, or seen by nobody in any order:\n\n");
        is_aside |= finding_is_aside(f);
        report_finding(f, opts, out);
        if (!opts->all)
            variants += add_variants(l, f, opts, out);
        str_char(out, '\n');
    }
    add_tests(l, opts, out);
    if (l->stopped_early)
        add_stopped(l, out);
    add_end(l, shown, variants, out);
    if (weak > 0)
        str_add(out, "%u race%s by C11's rules alone, which no run can show: --all\n", weak,
                weak == 1 ? "" : "s");
    if (l->unwanted > 0)
        str_add(out, "%u left out: suppressed, volatile, or in the baseline\n", l->unwanted);
    if (hidden > 0)
        str_add(out,
                "%u more (no harm, not confirmed, or of the same cause): --all shows them\n",
                hidden);
    add_accounts(l, opts, out);
}

static void render_as_json(const struct finding_list *l, const struct report_opts *opts,
                           struct str *out)
{
    (void)opts;
    finding_list_print(l, out);
}

const struct renderer render_text = {.name = "text", .render = render};
const struct renderer render_json = {.name = "json", .render = render_as_json};
