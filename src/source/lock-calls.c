/* SPDX-License-Identifier: Apache-2.0
 *
 * lock-calls: what takes a lock and what gives it back, read and written. */
#include "source/section.h"

#include <string.h>

static const struct {
    enum lock_sort sort;
    const char *lock, *unlock;
} calls[] = {
    {LOCK_PTHREAD, "pthread_mutex_lock", "pthread_mutex_unlock"},
    {LOCK_RW, "pthread_rwlock_wrlock", "pthread_rwlock_unlock"},
    {LOCK_RW, "pthread_rwlock_rdlock", "pthread_rwlock_unlock"},
    {LOCK_SPIN, "pthread_spin_lock", "pthread_spin_unlock"},
    {LOCK_C11, "mtx_lock", "mtx_unlock"},
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

bool is_mutex_type(const char *type, enum lock_sort *sort)
{
    static const char *const names[] = {"mutex",        "recursive_mutex",
                                        "timed_mutex",  "recursive_timed_mutex",
                                        "shared_mutex", "shared_timed_mutex"};
    bool is_posix = strcmp(type, "pthread_mutex_t") == 0;
    const char *name = strncmp(type, "std::", 5) == 0 ? type + 5 : type;
    *sort = is_posix ? LOCK_PTHREAD : LOCK_CXX;
    for (unsigned i = 0; i < sizeof names / sizeof names[0] && !is_posix; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return is_posix;
}

/* What the parentheses and conversions are around. */
static node_id bare(const struct unit *u, node_id n)
{
    while (node_of(u, n)->kind == NODE_OTHER && node_of(u, n)->first != NONE &&
           node_of(u, n)->first == node_of(u, n)->last)
        n = node_of(u, n)->first;
    return n;
}

bool node_spell(const struct unit *u, node_id n, struct str *out)
{
    n = bare(u, n);
    const struct node *node = node_of(u, n);
    if (node->kind == NODE_NAME) {
        str_add(out, "%s", node->name);
        return true;
    }
    if (node->kind == NODE_INDEX && node->first != node->last) {
        if (!node_spell(u, node->first, out))
            return false;
        str_char(out, '[');
        bool is_known = node_spell(u, node->last, out);
        str_char(out, ']');
        return is_known;
    }
    if (node->kind != NODE_MEMBER || node->first == NONE)
        return false;
    node_id base = bare(u, node->first);
    bool is_taken = node_of(u, base)->kind == NODE_TAKE; /* (&x)->lock is x.lock */
    if (!node_spell(u, is_taken ? node_of(u, base)->first : base, out))
        return false;
    str_add(out, "%s%s", node->is_arrow && !is_taken ? "->" : ".", node->name);
    return true;
}

/* What an argument of the call takes the address of; "*x" if it does not. */
static bool lock_argument(const struct unit *u, node_id call, uint32_t index, struct str *out)
{
    const struct node *n = node_of(u, call);
    node_id argument = n->first != NONE ? node_of(u, n->first)->next : NONE;
    for (; argument != NONE && index > 0; index--)
        argument = node_of(u, argument)->next;
    if (argument == NONE)
        return false;
    if (node_of(u, bare(u, argument))->is_macro) {
        node_id inner = bare(u, argument);
        bool is_taken = node_of(u, inner)->kind == NODE_TAKE;
        str_add(out, "%s", is_taken ? "" : "*");
        return node_spell(u, is_taken ? node_of(u, inner)->first : inner, out);
    }
    struct text t = text_trim(node_text(u, argument));
    while (t.len > 2 && t.at[0] == '(' && t.at[t.len - 1] == ')')
        t = text_trim((struct text){t.at + 1, t.len - 2});
    if (t.len && t.at[0] == '&') {
        t = text_trim((struct text){t.at + 1, t.len - 1});
        str_add(out, "%.*s", TEXT_ARG(t));
    } else {
        str_add(out, "*%.*s", TEXT_ARG(t));
    }
    return true;
}

/* x.lock(), x->unlock() */
static bool method_object(const struct unit *u, node_id call, const char *method,
                          struct str *out)
{
    const struct node *n = node_of(u, call);
    if (!u->is_cxx || strcmp(n->name, method) != 0 || n->first == NONE)
        return false;
    const struct node *member = node_of(u, n->first);
    if (member->kind != NODE_MEMBER || member->first == NONE)
        return false;
    if (member->is_macro) {
        str_add(out, "%s", member->is_arrow ? "*" : "");
        return node_spell(u, member->first, out);
    }
    struct text t = text_trim(node_text(u, member->first));
    struct text all = node_text(u, n->first);
    bool is_arrow = t.len + 2 < all.len && memcmp(all.at + t.len, "->", 2) == 0;
    str_add(out, "%s%.*s", is_arrow ? "*" : "", TEXT_ARG(t));
    return true;
}

/* The lock that the call takes (gives back), as it is written there; false: it does not. */
static bool read_call(const struct unit *u, node_id call, bool is_lock, struct str *out,
                      enum lock_sort *sort)
{
    const struct node *n = node_of(u, call);
    if (n->kind != NODE_CALL)
        return false;
    for (uint32_t i = 0; i < CALL_COUNT; i++)
        if (strcmp(n->name, is_lock ? calls[i].lock : calls[i].unlock) == 0) {
            *sort = calls[i].sort;
            return lock_argument(u, call, 0, out);
        }
    if (wrapper_lock(u, call, is_lock, out, sort))
        return true;
    *sort = LOCK_CXX;
    return method_object(u, call, is_lock ? "lock" : "unlock", out);
}

static const char *keep_call(struct unit *u, node_id call, bool is_lock, enum lock_sort *sort)
{
    AUTO(str) struct str text = {0};
    return read_call(u, call, is_lock, &text, sort) ? arena_text(&u->mem, text.at, text.len)
                                                    : NULL;
}

const char *call_lock(struct unit *u, node_id call, enum lock_sort *sort)
{
    return keep_call(u, call, true, sort);
}

const char *call_unlock(struct unit *u, node_id call, enum lock_sort *sort)
{
    return keep_call(u, call, false, sort);
}

const char *call_wait_lock(struct unit *u, node_id call)
{
    AUTO(str) struct str text = {0};
    return lock_argument(u, call, 1, &text) ? arena_text(&u->mem, text.at, text.len) : NULL;
}

static bool is_call(const struct unit *u, node_id call, const char *expression, bool is_lock)
{
    AUTO(str) struct str text = {0};
    enum lock_sort ignored;
    return read_call(u, call, is_lock, &text, &ignored) && strcmp(text.at, expression) == 0;
}

bool call_is_lock(const struct unit *u, node_id call, const char *expression)
{
    return is_call(u, call, expression, true);
}

bool call_is_unlock(const struct unit *u, node_id call, const char *expression)
{
    return is_call(u, call, expression, false);
}

/* What stands in the parentheses, or braces, that the text ends with; len 0: there are none. */
static struct text last_arguments(struct text t)
{
    uint32_t depth = 0;
    if (!t.len || !strchr(")}", t.at[t.len - 1]))
        return (struct text){0};
    for (uint32_t i = t.len; i-- > 0;) {
        depth += strchr(")}]", t.at[i]) != NULL;
        depth -= strchr("({[", t.at[i]) != NULL;
        if (depth == 0)
            return text_trim((struct text){t.at + i + 1, t.len - i - 2});
    }
    return (struct text){0};
}

/* The arguments of a variable that holds locks; len 0: it is none. */
static struct text guard_arguments(const struct unit *u, node_id statement)
{
    const struct node *n = node_of(u, statement);
    if (!u->is_cxx || n->kind != NODE_DECLARATION || n->first == NONE)
        return (struct text){0};
    const struct node *v = node_of(u, n->first);
    if (v->kind != NODE_VARIABLE ||
        (!strstr(v->type, "lock_guard") && !strstr(v->type, "unique_lock") &&
         !strstr(v->type, "scoped_lock") && !is_own_guard(u, v->type)))
        return (struct text){0};
    return last_arguments(node_text(u, n->first));
}

const char *guard_lock(struct unit *u, node_id statement)
{
    struct text t = guard_arguments(u, statement);
    bool is_several = memchr(t.at ? t.at : "", ',', t.len) != NULL;
    return t.len && !is_several ? arena_text(&u->mem, t.at, t.len) : NULL;
}

bool is_guard(const struct unit *u, node_id statement, const char *expression)
{
    struct text t = guard_arguments(u, statement);
    size_t len = strlen(expression);
    return t.len >= len && memcmp(t.at + t.len - len, expression, len) == 0 &&
           (t.len == len || strchr(" ,", t.at[t.len - len - 1]));
}

/* Are calls written as `f (x)` here? */
static bool has_spaced_calls(const struct unit *u)
{
    uint32_t spaced = 0, tight = 0;
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        struct text t = node_text(u, n);
        size_t len = strlen(node->name);
        if (node->kind != NODE_CALL || node->is_macro || node->file != 0 || !len ||
            t.len < len + 2 || memcmp(t.at, node->name, len) != 0)
            continue;
        spaced += t.at[len] == ' ' && t.at[len + 1] == '(';
        tight += t.at[len] == '(';
    }
    return spaced > tight;
}

/* What a statement does if it does one thing: (void)pthread_mutex_lock(&m), and what a macro
 * puts into do { } while (0). */
static node_id only_part(const struct unit *u, node_id statement)
{
    node_id n = statement;
    for (;;) {
        const struct node *node = node_of(u, n);
        node_id body = node->kind == NODE_DO ? node->first : NONE;
        bool is_block = node->kind == NODE_COMPOUND && node->first == node->last;
        if (node->kind == NODE_OTHER && node->first != NONE)
            n = node->last;
        else if (node->is_macro && body != NONE && node_of(u, body)->kind == NODE_COMPOUND)
            n = body;
        else if (node->is_macro && is_block && node->first != NONE)
            n = node->first;
        else
            return n;
    }
}

int lock_step(const struct unit *u, node_id statement, const char *expression)
{
    node_id n = only_part(u, statement);
    if (call_is_lock(u, n, expression) || is_guard(u, statement, expression))
        return 1;
    return call_is_unlock(u, n, expression) ? -1 : 0;
}

/* The macro that the function uses for it, or NULL: elsewhere it need not be defined. */
static const char *macro_call(struct unit *u, node_id place, const struct lock_use *lock,
                              bool is_lock)
{
    node_id function = node_function(u, place);
    if (lock->sort == LOCK_RW && is_lock) /* one for reading may be there, too */
        return NULL;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        if (node_of(u, n)->kind != NODE_CALL || !node_of(u, n)->is_macro ||
            !is_call(u, n, lock->expression, is_lock))
            continue;
        node_id statement = node_statement(u, n);
        struct text text = statement == NONE ? (struct text){0} : node_text(u, statement);
        if (!text.len || lock_step(u, statement, lock->expression) == 0 ||
            memchr(text.at, '\n', text.len))
            continue;
        AUTO(str) struct str s = {0};
        str_add(&s, "%.*s;", TEXT_ARG(text));
        return arena_text(&u->mem, s.at, s.len);
    }
    return NULL;
}

/* Is the macro defined before the place, or in a header? */
static bool is_defined(const struct unit *u, node_id place, struct text name)
{
    AUTO(str) struct str wanted = {0};
    str_add(&wanted, "define %.*s(", TEXT_ARG(name));
    const struct node *n = node_of(u, place);
    for (uint32_t i = 0; i < u->files.len; i++) {
        struct text t = u->files.at[i].text;
        t.len = i == n->file ? n->start : t.len;
        if (memmem(t.at, t.len, wanted.at, wanted.len))
            return true;
    }
    return false;
}

/* "LOCK(box)" takes "box->mutex", so "LOCK(other)" takes "other->mutex". NULL: neither fits. */
static const char *macro_for(struct unit *u, node_id place, struct text use, const char *takes,
                             const char *wanted)
{
    const char *open = memchr(use.at, '(', use.len);
    if (!open || use.at[use.len - 1] != ')')
        return NULL;
    struct text name = {use.at, (uint32_t)(open - use.at)};
    struct text argument = {open + 1, use.len - name.len - 2};
    size_t len = strlen(takes), all = strlen(wanted);
    if (!argument.len || len <= argument.len || memcmp(takes, argument.at, argument.len) != 0 ||
        strncmp(takes + argument.len, "->", 2) != 0)
        return NULL;
    const char *rest = takes + argument.len; /* "->mutex" */
    size_t tail = strlen(rest);
    AUTO(str) struct str s = {0};
    if (all > tail && strcmp(wanted + all - tail, rest) == 0)
        str_add(&s, "%.*s(%.*s);", TEXT_ARG(name), (int)(all - tail), wanted);
    else if (all > tail - 1 && wanted[all - tail + 1] == '.' &&
             strcmp(wanted + all - tail + 2, rest + 2) == 0)
        str_add(&s, "%.*s(&%.*s);", TEXT_ARG(name), (int)(all - tail + 1), wanted);
    return s.len && is_defined(u, place, name) ? arena_text(&u->mem, s.at, s.len) : NULL;
}

/* A macro of one argument by which other functions take (give back) the same lock of theirs. */
static const char *macro_elsewhere(struct unit *u, node_id place, const struct lock_use *lock,
                                   bool is_lock)
{
    if (lock->sort == LOCK_RW)
        return NULL;
    for (node_id n = 1; n < u->nodes.len; n++) {
        enum lock_sort sort;
        const struct node *node = node_of(u, n);
        if (node->kind != NODE_CALL || !node->is_macro)
            continue;
        const char *takes = keep_call(u, n, is_lock, &sort);
        node_id use = takes && sort == lock->sort ? node_statement(u, n) : NONE;
        bool is_all = use != NONE && lock_step(u, use, takes) != 0; /* that the macro does */
        const char *found =
            is_all ? macro_for(u, place, node_text(u, use), takes, lock->expression) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

const char *lock_call(struct unit *u, node_id place, const struct lock_use *lock, bool is_lock)
{
    AUTO(str) struct str s = {0};
    const char *e = lock->expression, *macro = macro_call(u, place, lock, is_lock);
    const char *own = macro ? macro : wrapper_call(u, place, lock, is_lock);
    own = own ? own : macro_elsewhere(u, place, lock, is_lock);
    if (own)
        return own;
    if (lock->sort == LOCK_CXX) {
        str_add(&s, "%s%s%s();", e[0] == '*' ? e + 1 : e, e[0] == '*' ? "->" : ".",
                is_lock ? "lock" : "unlock");
    } else {
        for (uint32_t i = 0; i < CALL_COUNT; i++)
            if (calls[i].sort == lock->sort && s.len == 0)
                str_add(&s, "%s%s(%s%s);", is_lock ? calls[i].lock : calls[i].unlock,
                        has_spaced_calls(u) ? " " : "", e[0] == '*' ? "" : "&",
                        e[0] == '*' ? e + 1 : e);
    }
    return arena_text(&u->mem, s.at, s.len);
}
