/* SPDX-License-Identifier: Apache-2.0
 *
 * wrapper: a function that does nothing but take a lock of its argument, or one for all, or
 * give it back, or wait with it, is how this program writes that:
 *     static void pool_lock(struct pool *p) { pthread_mutex_lock(&p->mutex); }
 * makes `pool_lock(&a)` take a.mutex, and a.mutex is taken by `pool_lock(&a)`. */
#include "source/section.h"

#include <ctype.h>
#include <string.h>

/* What may stand beside the call: it says that the call failed, and ends the program. */
static bool is_aside(const char *name)
{
    static const char *const names[] = {"abort",         "exit", "_exit", "perror",  "fprintf",
                                        "__assert_fail", "err",  "errx",  "strerror"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* The only parameter; NONE: there is none, *too_many: or several. */
static node_id parameter_of(const struct unit *u, node_id function, bool *too_many)
{
    node_id found = NONE;
    *too_many = false;
    for (node_id c = node_of(u, function)->first; c != NONE; c = node_of(u, c)->next)
        if (node_of(u, c)->kind == NODE_PARAMETER) {
            *too_many |= found != NONE;
            found = c;
        }
    return found;
}

/* The lock of pthread_cond_wait(&c, &lock). */
static const char *waited_with(struct unit *u, node_id call)
{
    node_id argument = node_of(u, call)->first;
    for (int i = 0; argument != NONE && i < 2; i++)
        argument = node_of(u, argument)->next;
    struct text t = argument == NONE ? (struct text){0} : text_trim(node_text(u, argument));
    AUTO(str) struct str text = {0};
    if (!t.len)
        return NULL;
    bool is_address = t.at[0] == '&';
    str_add(&text, "%s%.*s", is_address ? "" : "*", (int)(t.len - is_address),
            t.at + is_address);
    return arena_text(&u->mem, text.at, text.len);
}

/* What a call does; false: nothing with locks. */
static bool read_step(struct unit *u, node_id call, struct lock_wrapper *out)
{
    const char *name = node_of(u, call)->name;
    out->does = WRAPPER_LOCKS;
    if ((out->expression = call_lock(u, call, &out->sort)) != NULL) {
        out->is_shared = strstr(name, "rdlock") || strstr(name, "shared");
        return true;
    }
    out->does = WRAPPER_UNLOCKS;
    if ((out->expression = call_unlock(u, call, &out->sort)) != NULL)
        return true;
    out->does = WRAPPER_WAITS;
    out->sort = LOCK_PTHREAD;
    out->expression = strcmp(name, "pthread_cond_wait") == 0 ? waited_with(u, call) : NULL;
    return out->expression != NULL;
}

/* One call of those that are known, and nothing else? */
static bool read_function(struct unit *u, node_id function, struct lock_wrapper *out)
{
    uint32_t steps = 0;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        const struct node *node = node_of(u, n);
        struct lock_wrapper step = *out;
        if (node->kind == NODE_WHILE || node->kind == NODE_DO || node->kind == NODE_FOR ||
            node->kind == NODE_ASSIGN || node->kind == NODE_STEP)
            return false;
        if (node->kind != NODE_CALL || is_aside(node->name))
            continue;
        if (!read_step(u, n, &step))
            return false;
        *out = step;
        steps++;
    }
    return steps == 1;
}

static size_t word_length(const char *text)
{
    size_t len = 0;
    while (isalnum((unsigned char)text[len]) || text[len] == '_')
        len++;
    return len;
}

/* Splits "p->mutex" and "*p" at the parameter. False: it is neither, nor a global's. */
static bool split_expression(const struct unit *u, node_id parameter, struct lock_wrapper *w)
{
    const char *name = w->expression + (w->expression[0] == '*');
    size_t len = word_length(name);
    const char *own = parameter == NONE ? "" : node_of(u, parameter)->name;
    w->rest = name + len;
    w->of_argument = len > 0 && strlen(own) == len && memcmp(own, name, len) == 0;
    if (w->of_argument)
        return w->expression[0] == '*' ? *w->rest == 0 : strncmp(w->rest, "->", 2) == 0;
    return parameter == NONE && w->expression[0] != '*';
}

void wrappers_find(struct unit *u)
{
    for (node_id f = 1; f < u->nodes.len; f++) {
        const struct node *n = node_of(u, f);
        bool too_many;
        struct lock_wrapper w = {.name = n->name};
        if (n->kind != NODE_FUNCTION || !*n->name || n->declared != NONE)
            continue;
        w.is_static = n->is_static;
        node_id parameter = parameter_of(u, f, &too_many);
        if (!too_many && read_function(u, f, &w) && split_expression(u, parameter, &w))
            vec_push(&u->wrappers, w);
    }
}

static const struct lock_wrapper *find_wrapper(const struct unit *u, const char *name)
{
    for (uint32_t i = 0; i < u->wrappers.len; i++)
        if (strcmp(u->wrappers.at[i].name, name) == 0)
            return &u->wrappers.at[i];
    return NULL;
}

void wrappers_share(struct unit *to, const struct unit *from)
{
    for (uint32_t i = 0; i < from->wrappers.len; i++) {
        struct lock_wrapper w = from->wrappers.at[i];
        if (w.is_static || find_wrapper(to, w.name))
            continue;
        w.name = arena_text(&to->mem, w.name, strlen(w.name));
        w.expression = arena_text(&to->mem, w.expression, strlen(w.expression));
        w.rest = w.expression + strlen(w.expression) - strlen(w.rest);
        vec_push(&to->wrappers, w);
    }
}

/* ---- read ------------------------------------------------------------------------------- */

/* A name, with members and indices. */
static bool is_plain(struct text t)
{
    for (uint32_t i = 0; i < t.len; i++)
        if (!isalnum((unsigned char)t.at[i]) && !strchr("_.->[]", t.at[i]))
            return false;
    return t.len > 0;
}

bool argument_put(struct text argument, const char *expression, struct str *out)
{
    bool is_target = expression[0] == '*',
         is_address = argument.len > 1 && argument.at[0] == '&';
    const char *name = expression + is_target, *rest = name + word_length(name);
    struct text object =
        is_address ? (struct text){argument.at + 1, argument.len - 1} : argument;
    CHECK(rest > name);
    if (!is_plain(object) || (is_target && *rest))
        return false;
    if (is_target)
        str_add(out, "%s%.*s", is_address ? "" : "*", TEXT_ARG(object));
    else if (strncmp(rest, "->", 2) == 0)
        str_add(out, "%.*s%s%s", TEXT_ARG(object), is_address ? "." : "->", rest + 2);
    else if (!is_address)
        str_add(out, "%.*s%s", TEXT_ARG(object), rest);
    return is_target || !is_address || strncmp(rest, "->", 2) == 0;
}

bool wrapper_lock(const struct unit *u, node_id call, bool is_lock, struct str *out,
                  enum lock_sort *sort)
{
    const struct node *n = node_of(u, call);
    const struct lock_wrapper *w = find_wrapper(u, n->name);
    if (!w || w->does != (is_lock ? WRAPPER_LOCKS : WRAPPER_UNLOCKS))
        return false;
    *sort = w->sort;
    if (!w->of_argument) {
        str_add(out, "%s", w->expression);
        return true;
    }
    node_id argument = n->first == NONE ? NONE : node_of(u, n->first)->next;
    struct text t = argument == NONE ? (struct text){0} : text_trim(node_text(u, argument));
    return argument_put(t, w->expression, out);
}

bool call_is_wait(const struct unit *u, node_id call)
{
    static const char *const names[] = {"pthread_cond_wait", "pthread_cond_timedwait",
                                        "cnd_wait", "cnd_timedwait"};
    const struct node *n = node_of(u, call);
    if (n->kind != NODE_CALL)
        return false;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(n->name, names[i]) == 0)
            return true;
    const struct lock_wrapper *w = find_wrapper(u, n->name);
    if (w)
        return w->does == WRAPPER_WAITS;
    /* changed.wait(guard): with a second argument it tests by itself */
    return u->is_cxx && strcmp(n->name, "wait") == 0 && n->first != NONE &&
           node_of(u, n->first)->kind == NODE_MEMBER && node_of(u, n->first)->next != NONE &&
           node_of(u, node_of(u, n->first)->next)->next == NONE;
}

/* ---- written ---------------------------------------------------------------------------- */

static bool is_known_in(const struct unit *u, const char *name)
{
    for (node_id n = 1; n < u->nodes.len; n++)
        if ((node_of(u, n)->kind == NODE_FUNCTION || node_of(u, n)->kind == NODE_PROTOTYPE) &&
            strcmp(node_of(u, n)->name, name) == 0)
            return true;
    return false;
}

bool wrapper_knows(const struct unit *u, const char *lock)
{
    for (uint32_t i = 0; i < u->wrappers.len; i++) {
        const struct lock_wrapper *w = &u->wrappers.at[i];
        if (w->does == WRAPPER_LOCKS && !w->of_argument && strcmp(w->expression, lock) == 0 &&
            is_known_in(u, w->name))
            return true;
    }
    return false;
}

/* The argument with which it is about this lock: "p" or "&a"; false: it never is. */
static bool argument_for(const struct lock_wrapper *w, const char *e, struct str *out)
{
    if (!w->of_argument)
        return strcmp(w->expression, e) == 0;
    if (!*w->rest) {
        str_add(out, "%s%s", e[0] == '*' ? "" : "&", e[0] == '*' ? e + 1 : e);
        return true;
    }
    const char *field = w->rest + 2;
    size_t len = strlen(e), tail = strlen(field);
    if (e[0] == '*' || len <= tail + 1 || strcmp(e + len - tail, field) != 0)
        return false;
    bool is_arrow = len > tail + 2 && memcmp(e + len - tail - 2, "->", 2) == 0;
    if (!is_arrow && e[len - tail - 1] != '.')
        return false;
    str_add(out, "%s%.*s", is_arrow ? "" : "&", (int)(len - tail - (is_arrow ? 2 : 1)), e);
    return true;
}

/* One that is about the lock, and can be called from there. */
static const struct lock_wrapper *wrapper_for(const struct unit *u, node_id place,
                                              const struct lock_use *lock, bool is_lock,
                                              struct str *argument)
{
    node_id function = node_function(u, place);
    for (uint32_t i = 0; i < u->wrappers.len; i++) {
        const struct lock_wrapper *w = &u->wrappers.at[i];
        bool is_itself = function != NONE && strcmp(node_of(u, function)->name, w->name) == 0;
        argument->len = 0;
        if (w->does == (is_lock ? WRAPPER_LOCKS : WRAPPER_UNLOCKS) && w->sort == lock->sort &&
            !w->is_shared && !is_itself && argument_for(w, lock->expression, argument) &&
            is_known_in(u, w->name))
            return w;
    }
    return NULL;
}

const char *wrapper_call(struct unit *u, node_id place, const struct lock_use *lock,
                         bool is_lock)
{
    AUTO(str) struct str argument = {0}, text = {0};
    if (!wrapper_for(u, place, lock, !is_lock, &argument))
        return NULL; /* what is taken by one is given back by the other */
    const struct lock_wrapper *w = wrapper_for(u, place, lock, is_lock, &argument);
    if (!w)
        return NULL;
    str_add(&text, "%s(%s);", w->name, argument.len ? argument.at : "");
    return arena_text(&u->mem, text.at, text.len);
}
