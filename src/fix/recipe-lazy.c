/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-lazy: what is made when somebody needs it for the first time is made twice, or used
 * half made: `if (table == NULL) table_build();`. pthread_once and std::call_once are for that:
 * one thread makes it, the others wait, and all see it whole. */
#include "fix/recipe.h"

#include <string.h>

/* `if (!made) make();` */
struct lazy {
    struct unit *u;
    node_id test, body;
    node_id made; /* the variable that says whether it has been made */
};

/* A global variable, or a member of the object whose method this is. */
static bool lives_long(const struct unit *u, node_id name)
{
    const struct node *of = node_of(u, node_of(u, name)->declared);
    return of->kind == NODE_FIELD ? u->is_cxx && text_is(node_text(u, name), text_of(of->name))
                                  : of->is_global;
}

/* The variable of "!x", "x == NULL", "x == 0"; NONE: it asks something else. */
static node_id asked_variable(const struct unit *u, node_id condition)
{
    static const char *const empty[] = {"NULL", "nullptr", "0", "false"};
    struct text t = node_text(u, condition);
    node_id name = NONE;
    for (node_id n = condition; n != NONE; n = node_walk(u, condition, n)) {
        const struct node *node = node_of(u, n);
        enum node_kind of =
            node->declared != NONE ? node_of(u, node->declared)->kind : NODE_OTHER;
        bool is_variable = (node->kind == NODE_NAME || node->kind == NODE_MEMBER) &&
                           (of == NODE_VARIABLE || of == NODE_FIELD);
        if (is_variable && name == NONE)
            name = n;
        else if (is_variable)
            return NONE;
    }
    if (name == NONE || !lives_long(u, name))
        return NONE;
    AUTO(str) struct str not = {0};
    struct text x = node_text(u, name);
    str_add(&not, "!%.*s", TEXT_ARG(x));
    bool is_asked = text_is(t, str_text(&not));
    for (uint32_t i = 0; i < sizeof empty / sizeof empty[0] && !is_asked; i++) {
        AUTO(str) struct str equal = {0};
        str_add(&equal, "%.*s == %s", TEXT_ARG(x), empty[i]);
        is_asked = text_is(t, str_text(&equal));
    }
    return is_asked ? node_of(u, name)->declared : NONE;
}

static bool lazy_read(struct unit *u, node_id n, struct lazy *out)
{
    const struct node *test = node_of(u, n);
    if (test->kind != NODE_IF || test->is_macro || test->first == NONE || is_body(u, n))
        return false;
    *out = (struct lazy){.u = u, .test = n, .body = node_of(u, test->first)->next};
    if (out->body == NONE || node_of(u, out->body)->next != NONE)
        return false;
    out->made = asked_variable(u, test->first);
    return out->made != NONE;
}

/* Is it written behind this place only, there or in the one function that is called there? */
static bool is_made_here(struct codebase *code, uint32_t unit, const struct lazy *l)
{
    node_id maker = NONE;
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        struct node_ref f = node_of(l->u, n)->kind == NODE_CALL
                                ? call_target(code, (struct node_ref){unit, n})
                                : (struct node_ref){0, NONE};
        maker = f.node != NONE && f.unit == unit ? f.node : maker;
    }
    uint32_t writes = 0;
    for (node_id n = 1; n < l->u->nodes.len; n++) {
        const struct node *node = node_of(l->u, n);
        if (node->declared != l->made || n == l->made || !node_is_written(l->u, n))
            continue;
        if (!node_is_in(l->u, n, l->body) && (maker == NONE || !node_is_in(l->u, n, maker)))
            return false;
        writes++;
    }
    return writes > 0;
}

/* May what is in the body be a function of its own? */
static bool may_stand_alone(const struct lazy *l)
{
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        enum node_kind kind = node_of(l->u, n)->kind;
        if (kind == NODE_RETURN || kind == NODE_GOTO || kind == NODE_BREAK ||
            kind == NODE_CONTINUE || kind == NODE_LABEL || kind == NODE_LEAP)
            return false;
    }
    return true;
}

/* Is it asked again in there, behind a lock? */
static bool is_asked_again(const struct lazy *l)
{
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        const struct node *node = node_of(l->u, n);
        if (node->kind == NODE_IF && node->first != NONE &&
            asked_variable(l->u, node->first) == l->made)
            return true;
    }
    return false;
}

/* ---- C++ -------------------------------------------------------------------------------- */

static bool has_locals(const struct lazy *l, bool and_members)
{
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        const struct node *node = node_of(l->u, n);
        node_id v = node->kind == NODE_NAME ? node->declared : NONE;
        bool is_local = v != NONE && !node_of(l->u, v)->is_global &&
                        (node_of(l->u, v)->kind == NODE_VARIABLE ||
                         node_of(l->u, v)->kind == NODE_PARAMETER);
        bool is_guard = is_local && guard_lock(l->u, node_statement(l->u, v));
        if ((node->kind == NODE_MEMBER && and_members) || (is_local && !is_guard))
            return true;
    }
    return false;
}

/* std::call_once(once, [] { ... }); what is made stays on its line. */
static void once_in_cxx(const struct lazy *l, struct patch *out)
{
    struct unit *u = l->u;
    const struct node *test = node_of(u, l->test), *body = node_of(u, l->body);
    const struct source_file *f = &u->files.at[test->file];
    const char *name = unit_fresh(u, "once");
    AUTO(str) struct str head = {0};
    bool is_block = body->kind == NODE_COMPOUND;
    uint32_t end = body->start + is_block;
    bool is_below = !is_block && memchr(f->text.at + test->start, '\n', end - test->start);
    while (is_below && strchr(" \t\r\n", f->text.at[end - 1]))
        end--;
    str_add(&head, "static std::once_flag %s;\nstd::call_once(%s, [%s] {%s", name, name,
            has_locals(l, true) ? "&" : "", is_block || is_below ? "" : " ");
    patch_add(out, f->path, test->start, end - test->start, code_lines(u, l->test, head.at),
              EDIT_OPEN);
    patch_add(out, f->path, statement_end(u, l->body), 0,
              is_block   ? ");"
              : is_below ? code_lines(u, l->test, "\n});")
                         : " });",
              EDIT_CLOSE);
    include_header(u, test->file, "mutex", out);
}

/* ---- C++, asked again under a lock ------------------------------------------------------- *
 *     if (!loaded_) {                          std::call_once(loaded_, [this] { load(); });
 *         std::lock_guard lock(mutex_);
 *         if (!loaded_) {
 *             loaded_ = true;
 *             load();
 *         }
 *     } */

/* Is the field or variable named nowhere else, in any unit? */
static bool is_only_here(struct codebase *code, const struct lazy *l, node_id declared)
{
    const struct node *of = node_of(l->u, declared);
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            const struct node *node = node_of(u, n);
            bool is_use = (node->kind == NODE_NAME || node->kind == NODE_MEMBER) &&
                          strcmp(node->name, of->name) == 0;
            if (is_use && (u != l->u || !node_is_in(u, n, l->test)))
                return false;
        }
    }
    return true;
}

/* Does another source file change it? Then it may be made more than once. */
static bool is_written_elsewhere(struct codebase *code, const struct lazy *l)
{
    const char *name = node_of(l->u, l->made)->name;
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && u != l->u && n < u->nodes.len; n++) {
            const struct node *node = node_of(u, n);
            if ((node->kind == NODE_MEMBER || node->kind == NODE_NAME) &&
                strcmp(node->name, name) == 0 && node_is_written(u, n))
                return true;
        }
    }
    return false;
}

static bool sets_flag(const struct lazy *l, node_id s)
{
    const struct unit *u = l->u;
    const struct node *n = node_of(u, s);
    if (n->kind == NODE_ASSIGN)
        return n->first != NONE && node_of(u, n->first)->declared == l->made;
    struct text t = node_text(u, s);
    const char *name = node_of(u, l->made)->name;
    return n->kind == NODE_CALL && t.len > strlen(name) + 6 &&
           memcmp(t.at, name, strlen(name)) == 0 &&
           memcmp(t.at + strlen(name), ".store(", 7) == 0;
}

/* What is done once, without locks and tests; and the lock. False: there is more to it. */
static bool add_done_once(const struct lazy *l, node_id s, bool is_flag, struct str *out,
                          const char **lock)
{
    struct unit *u = l->u;
    const struct node *n = node_of(u, s);
    if (n->kind == NODE_COMPOUND) {
        for (node_id c = n->first; c != NONE; c = node_of(u, c)->next)
            if (!add_done_once(l, c, is_flag, out, lock))
                return false;
        return true;
    }
    if (n->kind == NODE_IF && n->first != NONE && asked_variable(u, n->first) == l->made) {
        node_id body = node_of(u, n->first)->next;
        return body != NONE && node_of(u, body)->next == NONE &&
               add_done_once(l, body, is_flag, out, lock);
    }
    const char *held = guard_lock(u, s);
    if (held) {
        bool is_first = !*lock;
        *lock = held;
        return is_first;
    }
    if (is_flag && sets_flag(l, s))
        return true;
    struct text t = {u->files.at[n->file].text.at + n->start, statement_end(u, s) - n->start};
    str_add(out, "\n\t%.*s", TEXT_ARG(t));
    return !n->is_macro && !memchr(t.at, '\n', t.len);
}

/* The declaration that stands for itself: "bool loaded_ = false;". */
static bool is_alone(const struct unit *u, node_id declared)
{
    const struct node *n = node_of(u, declared);
    return memchr(u->files.at[n->file].text.at + n->start, ',',
                  statement_end(u, declared) - n->start) == NULL;
}

/* A lock that was only for that goes, too. */
static void drop_lock(struct codebase *code, const struct lazy *l, const char *lock,
                      struct patch *out)
{
    const struct unit *u = l->u;
    node_id found = NONE;
    for (node_id n = l->test; n != NONE; n = node_walk(u, l->test, n))
        if (node_of(u, n)->declared != NONE && strcmp(node_of(u, n)->name, lock) == 0 &&
            node_of(u, node_of(u, n)->declared)->kind == NODE_FIELD)
            found = node_of(u, n)->declared;
    if (found != NONE && is_only_here(code, l, found) && is_alone(u, found))
        remove_statement(u, found, out);
}

/* "table_once" for "table", "table_once_" for "table_". */
static const char *once_name(struct codebase *code, const struct lazy *l)
{
    const char *name = node_of(l->u, l->made)->name;
    size_t len = strlen(name), own = len;
    while (own > 1 && name[own - 1] == '_')
        own--;
    return unit_fresh(l->u, keep_text(code, "%.*s_once%s", (int)own, name, name + own));
}

static int once_again(struct codebase *code, const struct lazy *l, struct patch *out,
                      struct err *err)
{
    struct unit *u = l->u;
    const struct node *made = node_of(u, l->made);
    bool is_field = made->kind == NODE_FIELD, is_alone_there = is_alone(u, l->made);
    bool is_flag = strstr(made->type, "bool") && is_only_here(code, l, l->made);
    const char *lock = NULL, *name = made->name;
    AUTO(str) struct str done = {0};
    if (!add_done_once(l, l->body, is_flag, &done, &lock) || !done.len || !is_alone_there)
        return err_set(err, "what makes it does more than that");
    if (!is_flag && is_asked_again(l)) /* that lock is a better place to mend it */
        return err_set(err, "it is asked again under a lock");
    if (is_written_elsewhere(code, l))
        return err_set(err, "it is changed elsewhere");
    if (!is_flag)
        name = once_name(code, l);
    const char *declared =
        keep_text(code, "%sstd::once_flag %s;", is_field ? "" : "static ", name);
    if (is_flag)
        replace_statement(u, l->made, declared, out);
    else
        declare_behind(u, l->made, declared, out);
    bool is_short = memchr(done.at + 1, '\n', done.len - 1) == NULL;
    const char *text = keep_text(code, "std::call_once(%s, [%s] {%s%s});", name,
                                 has_locals(l, false) ? "&"
                                 : is_field           ? "this"
                                                      : "",
                                 is_short ? keep_text(code, " %s", done.at + 2) : done.at,
                                 is_short ? " " : "\n");
    replace_statement(u, l->test, code_lines(u, l->test, text), out);
    drop_lock(code, l, lock ? lock : "", out);
    include_header(u, made->file, "mutex", out);
    if (made->file != node_of(u, l->test)->file && !is_field)
        return err_set(err, "it is declared in another file");
    return 0;
}

/* ---- C ---------------------------------------------------------------------------------- */

/* The function without arguments that is all that the body calls; else it takes and gives back
 * a lock, and sets what says that it has been made. NONE: it does more. */
static node_id only_call(struct lazy *l, bool *sets)
{
    struct unit *u = l->u;
    node_id first = node_of(u, l->body)->kind == NODE_COMPOUND ? node_of(u, l->body)->first
                                                               : l->body,
            call = NONE;
    *sets = false;
    for (node_id s = first; s != NONE; s = node_of(u, s)->next) {
        const struct node *n = node_of(u, s);
        enum lock_sort sort;
        bool is_set = n->kind == NODE_ASSIGN && n->first != NONE &&
                      node_of(u, n->first)->declared == l->made;
        *sets |= is_set;
        if (is_set || call_lock(u, s, &sort) || call_unlock(u, s, &sort))
            continue;
        if (n->kind != NODE_CALL || call != NONE || n->first == NONE || n->first != n->last)
            return NONE;
        call = s;
        if (s == l->body)
            break;
    }
    return call;
}

/* How often it is named outside of the statement. */
static uint32_t uses_outside(const struct unit *u, node_id variable, node_id statement)
{
    uint32_t count = 0;
    for (node_id n = 1; n < u->nodes.len; n++)
        count += node_of(u, n)->declared == variable && n != variable &&
                 node_of(u, n)->kind == NODE_NAME && !node_is_in(u, n, statement);
    return count;
}

/* Variables that only the test used go with it: a flag, a lock. */
static void drop_left(const struct lazy *l, struct patch *out)
{
    const struct unit *u = l->u;
    for (node_id v = 1; v < u->nodes.len; v++) {
        bool is_named = false;
        if (node_of(u, v)->kind != NODE_VARIABLE || !node_of(u, v)->is_static ||
            uses_outside(u, v, l->test))
            continue;
        for (node_id n = l->test; n != NONE; n = node_walk(u, l->test, n))
            is_named |= node_of(u, n)->declared == v;
        if (is_named && v != l->made)
            remove_statement(u, v, out);
    }
}

/* pthread_once(&table_once, table_build); */
static int once_in_c(struct codebase *code, struct lazy *l, struct patch *out, struct err *err)
{
    struct unit *u = l->u;
    bool sets;
    node_id call = only_call(l, &sets);
    if (call == NONE)
        return err_set(err, "what makes it is no function of its own");
    bool is_flag = sets && uses_outside(u, l->made, l->test) == 0;
    if (sets && !is_flag)
        return err_set(err, "others look at what says that it was made");
    const char *name = unit_fresh(u, keep_text(code, "%s_once", node_of(u, l->made)->name));
    const char *declared =
        keep_text(code, "static pthread_once_t %s = PTHREAD_ONCE_INIT;", name);
    if (is_flag)
        replace_statement(u, l->made, declared, out);
    else
        declare_behind(u, l->made, declared, out);
    replace_statement(u, l->test,
                      keep_text(code, "pthread_once(&%s, %s);", name, node_of(u, call)->name),
                      out);
    drop_left(l, out);
    include_header(u, node_of(u, l->test)->file, "pthread.h", out);
    return 0;
}

/* ---- the recipe ------------------------------------------------------------------------- */

static int make_once(struct codebase *code, struct node_ref s, struct patch *out,
                     struct err *err)
{
    struct unit *u = codebase_unit(code, s.unit);
    node_id function = node_function(u, s.node);
    struct lazy l;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        if (!lazy_read(u, n, &l) || !is_made_here(code, s.unit, &l) || !may_stand_alone(&l))
            continue;
        if (!u->is_cxx)
            return once_in_c(code, &l, out, err);
        if (is_asked_again(&l) || node_of(u, l.made)->kind == NODE_FIELD)
            return once_again(code, &l, out, err);
        once_in_cxx(&l, out);
        return 0;
    }
    return err_set(err, "nothing is made there when it is first needed");
}

static void lazy_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    for (uint32_t i = 0; i < c->step_count && c->kind == CAUSE_PATTERN; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
        struct err err;
        if (!u || node_function(u, s.node) == NONE)
            continue;
        struct fix_candidate *one = candidate_new(out, "lazy", cause);
        if (make_once(code, s, &one->patch, &err) == 0) {
            candidate_explain(one, code, NULL,
                              "what is made when it is first needed is made once, by one "
                              "thread, and the others wait for that");
            one->trade = "no lock once it has been made";
            return;
        }
        candidate_drop(out, code, &err);
    }
}

const struct recipe recipe_lazy = {
    .name = "lazy",
    .help = "what is made when it is first needed is made by pthread_once or std::call_once",
    .make = lazy_make,
    .turn = TURN_FIRST,
};
