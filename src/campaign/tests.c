/* SPDX-License-Identifier: Apache-2.0
 *
 * tests: what CTest and Meson say about the tests of a build directory, as JSON. */
#include "campaign/campaign-parts.h"

#include "base/capture.h"

#include <jansson.h>
#include <string.h>

struct listed {
    campaign_words argv, set;
    const char *directory;
};

static void listed_done(struct listed *l)
{
    vec_done(&l->argv);
    vec_done(&l->set);
}

/* What the command prints, as JSON; err says so if it is none. */
static json_t *ask(const char *command, const char *directory, struct err *err)
{
    AUTO(str) struct str line = {0}, said = {0};
    json_error_t why;
    str_add(&line, "%s ", command);
    str_shell(&line, directory);
    str_add(&line, " 2>&1");
    char *argv[] = {(char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", line.at, NULL};
    int code = capture(&said, argv, NULL);
    json_t *o = code == 0 && said.len ? json_loadb(said.at, said.len, 0, &why) : NULL;
    if (!o)
        err_set(err, "%s says nothing about tests: %.200s", line.at, said.len ? said.at : "");
    return o;
}

static const char *text_of_json(struct arena *mem, const json_t *v)
{
    return json_is_string(v) ? arena_text(mem, json_string_value(v), json_string_length(v))
                             : NULL;
}

static void take_words(struct arena *mem, const json_t *list, campaign_words *out)
{
    size_t i;
    json_t *v;
    json_array_foreach(list, i, v)
    {
        const char *word = text_of_json(mem, v);
        if (word)
            vec_push(out, word);
    }
}

static int add_listed(struct campaign_plan *p, struct listed *l, struct err *err)
{
    int result = 0;
    if (l->argv.len > 0)
        result = campaign_add_test(p, l->directory, &l->argv, NULL, &l->set, err);
    listed_done(l);
    return result;
}

int campaign_add_ctest(struct campaign_plan *p, const char *directory, struct err *err)
{
    json_t *all = ask("ctest --show-only=json-v1 --test-dir", directory, err), *v, *q;
    size_t i, k;
    int result = all ? 0 : -1;
    json_array_foreach(json_object_get(all, "tests"), i, v)
    {
        struct listed l = {.directory = directory};
        take_words(&p->mem, json_object_get(v, "command"), &l.argv);
        json_array_foreach(json_object_get(v, "properties"), k, q)
        {
            const char *name = json_string_value(json_object_get(q, "name"));
            const json_t *value = json_object_get(q, "value");
            if (name && strcmp(name, "WORKING_DIRECTORY") == 0 && json_is_string(value))
                l.directory = text_of_json(&p->mem, value);
            if (name && strcmp(name, "ENVIRONMENT") == 0)
                take_words(&p->mem, value, &l.set);
        }
        result = result == 0 ? add_listed(p, &l, err) : result;
    }
    json_decref(all);
    return result;
}

int campaign_add_meson(struct campaign_plan *p, const char *directory, struct err *err)
{
    json_t *all = ask("meson introspect --tests", directory, err), *v, *value;
    size_t i;
    const char *name;
    int result = all ? 0 : -1;
    json_array_foreach(all, i, v)
    {
        const char *work = text_of_json(&p->mem, json_object_get(v, "workdir"));
        struct listed l = {.directory = work ? work : directory};
        take_words(&p->mem, json_object_get(v, "cmd"), &l.argv);
        json_object_foreach(json_object_get(v, "env"), name, value)
        {
            AUTO(str) struct str set = {0};
            str_add(&set, "%s=%s", name,
                    json_string_value(value) ? json_string_value(value) : "");
            vec_push(&l.set, str_keep(&p->mem, &set));
        }
        result = result == 0 ? add_listed(p, &l, err) : result;
    }
    json_decref(all);
    return result;
}
