/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse-finding: see misuse-finding.h. */
#include "check/misuse-finding.h"

#include "explain/explain.h"

#include <string.h>

static void say_site(struct str *out, const struct trace *t, uint32_t site)
{
    site_name(out, &t->sites.at[site]);
}

/* "T1 worker (bank.c:14:5)" */
static void say_step(struct str *out, const struct trace *t, const struct misuse_step *s)
{
    if (s->event == NO_EVENT) {
        str_add(out, "another thread");
        return;
    }
    struct def_site site = t->sites.at[s->site];
    struct text file = text_base_name((struct text){site.file.at, site.file.len});
    site.file = (struct def_text){file.at, file.len};
    thread_name(out, t, s->thr);
    str_add(out, " (at ");
    site_name(out, &site);
    str_add(out, ")");
}

/* %o is the object, %t the thread, %w the other one. */
static void say(struct str *out, const struct trace *t, const struct misuse *m)
{
    for (const char *c = misuse_infos[m->kind].sentence; *c; c++) {
        if (*c != '%') {
            str_char(out, *c);
            continue;
        }
        c++;
        if (*c == 'o')
            str_add(out, "%s", m->object);
        else if (*c == 't')
            thread_name(out, t, m->own.thr);
        else
            say_step(out, t, &m->other);
    }
}

static const char *id_of(struct arena *mem, const struct trace *t, const struct misuse *m)
{
    AUTO(str) struct str key = {0}, text = {0};
    const struct def_site *s = &t->sites.at[m->own.site];
    str_add(&key, "%s ", misuse_infos[m->kind].word);
    str_bytes(&key, s->function.at, s->function.len);
    str_char(&key, ' ');
    str_bytes(&key, s->name.at, s->name.len);
    str_add(&text, "%s-%08x", pattern_text(PATTERN_MISUSE),
            (uint32_t)hash_bytes(key.at, key.len));
    return str_keep(mem, &text);
}

static void tell_steps(struct finding *f, struct arena *mem, const struct misuse *m,
                       const char *directory)
{
    AUTO(str) struct str path = {0};
    uint64_t numbers[2];
    uint32_t count = 0;
    struct err ignored;
    if (m->other.event != NO_EVENT)
        numbers[count++] = m->other.event;
    numbers[count++] = m->own.event;
    str_add(&path, "%s/trace", directory);
    if (explain_events(f, mem, path.at, numbers, count, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < f->steps.len; i++) {
        enum action *action = &f->steps.at[i].action;
        bool is_closed = m->kind == MISUSE_CLOSED;
        *action = *action == ACTION_MARK                  ? ACTION_DESTROY /* refused */
                  : is_closed && *action == ACTION_CHANGE ? ACTION_CLOSE
                  : is_closed && *action == ACTION_SUM    ? ACTION_USE
                                                          : *action;
    }
}

static void tell_one(struct finding_list *out, struct trace *t, const struct misuse *m,
                     const struct misuse_run *run)
{
    AUTO(str) struct str text = {0};
    const char *directory = run->directory, *id = id_of(&out->mem, t, m);
    struct finding f = finding_new(PATTERN_MISUSE);
    if (finding_find(run->known, id))
        return;
    f.is_confirmed = !run->is_doubtful;
    f.is_note = misuse_infos[m->kind].is_note;
    f.id = id;
    f.alike = m->alike;
    say_site(&text, t, m->own.site);
    str_add(&text, ": ");
    size_t head = text.len;
    say(&text, t, m);
    f.message = str_keep(&out->mem, &text);
    f.rest = f.message + head;
    f.why = pattern_infos[PATTERN_MISUSE].why;
    tell_steps(&f, &out->mem, m, directory);
    f.run = arena_text(&out->mem, directory, strlen(directory));
    text.len = 0;
    str_add(&text, "heddle replay %s", directory);
    f.replay = str_keep(&out->mem, &text);
    vec_push(&f.sites, place_of_site(&out->mem, &t->sites.at[m->own.site]));
    if (m->other.event != NO_EVENT)
        vec_push(&f.sites, place_of_site(&out->mem, &t->sites.at[m->other.site]));
    finding_merge(out, &f);
}

void misuse_tell(struct finding_list *out, struct trace *t, const struct misuse_run *run)
{
    misuses found = {0};
    struct err ignored;
    misuse_find(t, &out->mem, &found, &ignored); /* a trace that is cut: as far as it goes */
    for (uint32_t i = 0; i < found.len; i++)
        tell_one(out, t, &found.at[i], run);
    vec_done(&found);
}
