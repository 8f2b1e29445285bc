/* SPDX-License-Identifier: Apache-2.0
 *
 * member: a new lock as a member of a record. In C every object of the record has to have its
 * lock made ready where the object is made: in a function that makes such objects ready, in an
 * initialiser, or behind the allocation. If one object cannot be reached in any of these ways,
 * the record gets no lock: one that is not ready is worse than none. */
#include "source/section.h"

#include <string.h>

struct member {
    struct unit *u;
    node_id record;
    const char *name;
    struct patch *out;
    struct err *err;
    bool has_maker; /* there is a function that makes such objects ready */
};

/* ---- what is there ---------------------------------------------------------------------- */

static bool has_part(const char *text, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(text, *parts))
            return true;
    return false;
}

static bool is_pointer_to(const struct member *m, node_id n)
{
    return node_of(m->u, n)->record == m->record && node_of(m->u, n)->shape == SHAPE_POINTER;
}

/* The parameter that points to such an object; NONE: it has none. */
static node_id object_parameter(const struct member *m, node_id function)
{
    for (node_id n = node_of(m->u, function)->first; n != NONE; n = node_of(m->u, n)->next)
        if (node_of(m->u, n)->kind == NODE_PARAMETER && is_pointer_to(m, n))
            return n;
    return NONE;
}

static bool is_maker(const struct member *m, node_id n)
{
    static const char *const parts[] = {"init", "create", "setup", "construct", NULL};
    const struct node *f = node_of(m->u, n);
    return (f->kind == NODE_FUNCTION || f->kind == NODE_PROTOTYPE) &&
           has_part(f->name, parts) && !strstr(f->name, "deinit") &&
           object_parameter(m, n) != NONE;
}

static bool is_ender(const struct member *m, node_id n)
{
    static const char *const parts[] = {"done",   "destroy", "fini",  "deinit",
                                        "finish", "cleanup", "close", NULL};
    return node_of(m->u, n)->kind == NODE_FUNCTION && has_part(node_of(m->u, n)->name, parts) &&
           object_parameter(m, n) != NONE;
}

static bool is_allocation(const struct node *n)
{
    return n->kind == NODE_CALL && strstr(n->name, "alloc") != NULL;
}

static node_id find_allocation(const struct unit *u, node_id root)
{
    for (node_id n = root; n != NONE; n = node_walk(u, root, n))
        if (is_allocation(node_of(u, n)))
            return n;
    return NONE;
}

static bool text_has_word(const struct unit *u, node_id n, const char *word)
{
    const struct node *node = node_of(u, n);
    return code_has_word(&u->files.at[node->file], node->start, node->end, word);
}

/* Does this code hand the object to a function that makes it ready? */
static bool is_made_in(const struct member *m, node_id root, const char *name)
{
    for (node_id n = root; n != NONE; n = node_walk(m->u, root, n)) {
        if (node_of(m->u, n)->kind != NODE_CALL || !text_has_word(m->u, n, name))
            continue;
        for (node_id f = 1; f < m->u->nodes.len; f++)
            if (is_maker(m, f) && strcmp(node_of(m->u, f)->name, node_of(m->u, n)->name) == 0)
                return true;
    }
    return false;
}

/* ---- where ------------------------------------------------------------------------------ */

/* "p->x = ..." */
static bool sets_member(const struct unit *u, node_id statement, const char *object)
{
    const struct node *n = node_of(u, statement);
    if (n->kind != NODE_ASSIGN || n->first == NONE)
        return false;
    struct text left = node_text(u, n->first);
    size_t len = strlen(object);
    return left.len > len && memcmp(left.at, object, len) == 0 &&
           (left.at[len] == '.' || left.at[len] == '-');
}

/* "*p = ...", "memset(p, ...)": what was there before is gone. */
static bool sets_whole(const struct member *m, node_id statement, const char *object)
{
    const struct node *n = node_of(m->u, statement);
    if (n->kind == NODE_ASSIGN && n->record == m->record && n->shape == SHAPE_VALUE)
        return true;
    return n->kind == NODE_CALL &&
           (strcmp(n->name, "memset") == 0 || strcmp(n->name, "memcpy") == 0 ||
            strcmp(n->name, "bzero") == 0) &&
           text_has_word(m->u, statement, object);
}

/* "if (!p) return NULL;" */
static bool is_refusal(const struct unit *u, node_id statement, const char *object)
{
    if (node_of(u, statement)->kind != NODE_IF || !text_has_word(u, statement, object))
        return false;
    node_id body = if_then(u, statement);
    if (ends_in_jump(u, body))
        return true;
    for (node_id n = body; n != NONE; n = node_walk(u, body, n))
        if (node_of(u, n)->kind == NODE_CALL && (strcmp(node_of(u, n)->name, "abort") == 0 ||
                                                 strcmp(node_of(u, n)->name, "exit") == 0))
            return true;
    return false;
}

static void add_to_list(const struct member *m, node_id list)
{
    const struct node *n = node_of(m->u, list);
    const struct source_file *f = &m->u->files.at[n->file];
    uint32_t open = n->start; /* a literal has its type before the brace */
    while (open < n->end && f->text.at[open] != '{')
        open++;
    uint32_t code = code_end(f, open, n->end - 1);
    bool is_empty = code <= open + 1, has_comma = f->text.at[code - 1] == ',';
    AUTO(str) struct str more = {0};
    uint32_t close = n->end - 1;
    if (condition_at(f, code) != condition_at(f, close) && is_first_on_line(f, close)) {
        struct text indent = line_indent(f, close); /* the last one is in an #if group */
        str_add(&more, "%s%.*s%s.%s = PTHREAD_MUTEX_INITIALIZER,%s", has_comma ? "" : ",",
                TEXT_ARG(indent), indent_unit(f), m->name, line_mark(f));
        patch_add(m->out, f->path, line_start(f, close), 0, more.at, EDIT_CLOSE);
        return;
    }
    str_add(&more, "%s.%s = PTHREAD_MUTEX_INITIALIZER",
            is_empty    ? ""
            : has_comma ? " "
                        : ", ",
            m->name);
    patch_add(m->out, f->path, code, 0, more.at, EDIT_CLOSE);
}

/* Makes the lock ready among the statements from this one on: behind what sets the object as a
 * whole, before what sets its members, behind the test whether it is there. */
static void put_init(const struct member *m, node_id from, const char *object, bool is_made)
{
    node_id behind = NONE, before = NONE;
    AUTO(str) struct str text = {0};
    str_add(&text, "pthread_mutex_init(&%s->%s, NULL);", object, m->name);
    for (node_id s = from; s != NONE; s = node_of(m->u, s)->next)
        if (sets_whole(m, s, object))
            behind = s;
    for (node_id s = from; behind == NONE && before == NONE && s != NONE;
         s = node_of(m->u, s)->next)
        before = sets_member(m->u, s, object) ? s : NONE;
    if (behind == NONE && before == NONE && is_made) {
        behind = from;
        for (node_id s = node_of(m->u, from)->next; s != NONE && is_refusal(m->u, s, object);
             s = node_of(m->u, s)->next)
            behind = s;
    }
    if (behind != NONE && node_of(m->u, behind)->kind == NODE_ASSIGN)
        add_to_list(m, node_of(m->u, behind)->last);
    else if (behind != NONE)
        unit_insert(m->u, behind, INSERT_CLOSE, text.at);
    else
        unit_insert(m->u, before != NONE ? before : from, INSERT_OPEN, text.at);
}

static void put_destroy(const struct member *m, node_id statement, enum insert_part part,
                        const char *object)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "pthread_mutex_destroy(&%s->%s);", object, m->name);
    unit_insert(m->u, statement, part, text.at);
}

/* ---- each object ------------------------------------------------------------------------ */

static int refuse(const struct member *m, node_id n, const char *why)
{
    const struct node *node = node_of(m->u, n);
    const struct source_file *f = &m->u->files.at[node->file];
    const char *slash = strrchr(f->path, '/');
    return err_set(m->err, "%s has no place for a lock: %s (%s:%u)",
                   node_of(m->u, m->record)->name, why, slash ? slash + 1 : f->path,
                   file_line(f, node->start));
}

/* Is it one object, not several in a row? */
static bool is_single(const struct unit *u, node_id call)
{
    const struct node *n = node_of(u, call);
    if (strstr(n->name, "realloc") || n->first == NONE)
        return false;
    node_id first = node_of(u, n->first)->next;
    if (strstr(n->name, "calloc"))
        return first != NONE && text_is(node_text(u, first), text_of("1"));
    for (node_id i = call; i != NONE; i = node_walk(u, call, i))
        if (node_of(u, i)->kind == NODE_BINARY)
            return false;
    return true;
}

static int prepare_heap(const struct member *m, node_id at, struct text object)
{
    node_id call = find_allocation(m->u, at), statement = node_statement(m->u, at);
    AUTO(str) struct str name = {0};
    str_add(&name, "%.*s", TEXT_ARG(object));
    if (call == NONE)
        return 0;
    if (!is_single(m->u, call))
        return refuse(m, at, "several are made in a row");
    if (statement == NONE || (node_of(m->u, statement)->kind != NODE_DECLARATION &&
                              node_of(m->u, statement)->kind != NODE_ASSIGN &&
                              !is_refusal(m->u, statement, name.at)))
        return refuse(m, at, "it is made in the middle of a statement");
    if (!is_block(m->u, node_of(m->u, statement)->parent))
        return refuse(m, at, "it is made where no statement can follow");
    if (!is_made_in(m, node_function(m->u, at), name.at))
        put_init(m, statement, name.at, true);
    return 0;
}

static node_id initialiser(const struct unit *u, node_id variable)
{
    node_id last = node_of(u, variable)->last;
    return last != NONE && node_text(u, last).len && node_text(u, last).at[0] == '{' ? last
                                                                                     : NONE;
}

/* "accounts[i].amount = 0;" in a loop: each of them. */
static bool prepare_in_loop(const struct member *m, const char *array)
{
    size_t len = strlen(array);
    for (node_id n = 1; n < m->u->nodes.len; n++) {
        const struct node *a = node_of(m->u, n);
        node_id loop = a->kind == NODE_ASSIGN ? statement_above(m->u, n) : NONE;
        if (loop == NONE || node_of(m->u, loop)->kind != NODE_FOR ||
            node_statement(m->u, n) != n)
            continue;
        struct text left = node_text(m->u, a->first);
        const char *close = memchr(left.at, ']', left.len);
        if (left.len <= len || memcmp(left.at, array, len) != 0 || left.at[len] != '[' ||
            !close || close + 1 >= left.at + left.len || close[1] != '.')
            continue;
        AUTO(str) struct str text = {0};
        str_add(&text, "pthread_mutex_init(&%.*s.%s, NULL);", (int)(close + 1 - left.at),
                left.at, m->name);
        unit_insert(m->u, n, INSERT_OPEN, text.at);
        return true;
    }
    return false;
}

static int prepare_array(const struct member *m, node_id n)
{
    const struct node *v = node_of(m->u, n);
    const struct source_file *f = &m->u->files.at[v->file];
    struct text text = node_text(m->u, n);
    node_id list = initialiser(m->u, n);
    const char *open = memchr(text.at, '[', text.len);
    const char *close = open ? memchr(open, ']', (size_t)(text.at + text.len - open)) : NULL;
    if (v->is_macro || !close)
        return refuse(m, n, "a macro makes them");
    if (list != NONE) {
        for (node_id i = node_of(m->u, list)->first; i != NONE; i = node_of(m->u, i)->next) {
            if (node_text(m->u, i).at[0] != '{')
                return refuse(m, n, "the initialiser of its array is not plain");
            add_to_list(m, i);
        }
        return 0;
    }
    if (prepare_in_loop(m, v->name))
        return 0;
    if (!v->is_global || close == open + 1)
        return refuse(m, n, "there is an array of them");
    AUTO(str) struct str all = {0};
    str_add(&all, " = {[0 ... %.*s - 1] = {.%s = PTHREAD_MUTEX_INITIALIZER}}",
            (int)(close - open - 1), open + 1, m->name);
    patch_add(m->out, f->path, v->end, 0, all.at, EDIT_CLOSE);
    return 0;
}

static int prepare_variable(const struct member *m, node_id n)
{
    const struct node *v = node_of(m->u, n);
    const struct source_file *f = &m->u->files.at[v->file];
    struct text text = node_text(m->u, n);
    node_id list = initialiser(m->u, n);
    if (text.len > 7 && memcmp(text.at, "extern ", 7) == 0)
        return 0;
    if (v->shape == SHAPE_ARRAY)
        return prepare_array(m, n);
    if (v->is_macro)
        return refuse(m, n, "a macro makes one");
    if (list != NONE) {
        add_to_list(m, list);
        return 0;
    }
    if (memchr(text.at, '=', text.len))
        return refuse(m, n, "it is copied");
    if (m->has_maker && is_made_in(m, v->is_global ? 0 : node_function(m->u, n), v->name))
        return 0;
    AUTO(str) struct str all = {0};
    str_add(&all, " = {.%s = PTHREAD_MUTEX_INITIALIZER}", m->name);
    patch_add(m->out, f->path, v->end, 0, all.at, EDIT_CLOSE);
    return 0;
}

/* "*p = (struct x){...}" belongs to making one; "*p = *q" copies its lock. */
static int check_assignment(const struct member *m, node_id n)
{
    const struct node *a = node_of(m->u, n);
    node_id function = node_function(m->u, n);
    struct text value = node_text(m->u, a->last);
    bool is_literal = value.len > 2 && value.at[0] == '(' && memchr(value.at, '{', value.len);
    bool is_making = is_maker(m, function) || find_allocation(m->u, function) != NONE;
    return is_literal && is_making ? 0 : refuse(m, n, "it is copied");
}

static int prepare_function(const struct member *m, node_id n)
{
    const struct node *f = node_of(m->u, n);
    node_id parameter = object_parameter(m, n);
    node_id body = f->last;
    if (f->shape == SHAPE_VALUE && f->record == m->record)
        return refuse(m, n, "it is copied");
    if (f->kind != NODE_FUNCTION || parameter == NONE || !is_block(m->u, body))
        return 0;
    const char *object = node_of(m->u, parameter)->name;
    if (is_maker(m, n)) {
        if (node_of(m->u, body)->first == NONE)
            return refuse(m, n, "its function that makes one ready is empty");
        put_init(m, node_of(m->u, body)->first, object, false);
    }
    bool frees = false;
    for (node_id i = body; i != NONE; i = node_walk(m->u, body, i))
        frees |= node_of(m->u, i)->kind == NODE_CALL &&
                 strcmp(node_of(m->u, i)->name, "free") == 0 && text_has_word(m->u, i, object);
    node_id last = node_of(m->u, body)->last;
    if (m->has_maker && is_ender(m, n) && !frees && last != NONE)
        put_destroy(m, last,
                    node_of(m->u, last)->kind == NODE_RETURN ? INSERT_OPEN : INSERT_CLOSE,
                    object);
    return 0;
}

static int prepare_call(const struct member *m, node_id n)
{
    const struct node *call = node_of(m->u, n);
    node_id statement = node_statement(m->u, n);
    node_id argument = call->first != NONE ? node_of(m->u, call->first)->next : NONE;
    if (strcmp(call->name, "free") != 0 || argument == NONE || statement == NONE)
        return 0;
    node_id named = argument;
    while (named != NONE && node_of(m->u, named)->kind == NODE_OTHER)
        named = node_of(m->u, named)->first; /* what is implied around it */
    node_id declared = named != NONE ? node_of(m->u, named)->declared : NONE;
    if (declared == NONE || !is_pointer_to(m, declared))
        return 0;
    AUTO(str) struct str object = {0};
    str_add(&object, "%.*s", TEXT_ARG(node_text(m->u, named)));
    put_destroy(m, statement, INSERT_OPEN, object.at);
    return 0;
}

static int prepare_node(const struct member *m, node_id n)
{
    const struct node *node = node_of(m->u, n);
    bool is_value = node->record == m->record && node->shape == SHAPE_VALUE;
    bool is_array = node->record == m->record && node->shape == SHAPE_ARRAY;
    switch (node->kind) {
    case NODE_VARIABLE:
        if (is_value || is_array)
            return prepare_variable(m, n);
        return is_pointer_to(m, n) ? prepare_heap(m, n, text_of(node->name)) : 0;
    case NODE_FIELD:
        return (is_value || is_array) && !m->has_maker ? refuse(m, n, "it is part of another")
                                                       : 0;
    case NODE_PARAMETER:
        return is_value ? refuse(m, n, "it is copied") : 0;
    case NODE_ASSIGN:
        if (is_value)
            return check_assignment(m, n);
        return is_pointer_to(m, n) && node->first != NONE
                   ? prepare_heap(m, n, node_text(m->u, node->first))
                   : 0;
    case NODE_RETURN: {
        node_id function = node_function(m->u, n);
        return function != NONE && is_pointer_to(m, function) && node->first != NONE &&
                       find_allocation(m->u, n) != NONE
                   ? refuse(m, n, "it is made in the middle of a statement")
                   : 0;
    }
    case NODE_FUNCTION:
    case NODE_PROTOTYPE:
        return prepare_function(m, n);
    case NODE_CALL:
        return prepare_call(m, n);
    default:
        return 0;
    }
}

static bool is_done(const patch_files *done, const char *path)
{
    for (uint32_t i = 0; i < done->len; i++)
        if (strcmp(done->at[i], path) == 0)
            return true;
    return false;
}

int member_prepare(struct unit *u, node_id record, const char *name, patch_files *done,
                   struct patch *out, struct err *err)
{
    struct member m = {.u = u, .record = record, .name = name, .out = out, .err = err};
    if (u->is_cxx)
        return 0; /* its constructor does */
    for (node_id n = 1; n < u->nodes.len && !m.has_maker; n++)
        m.has_maker = is_maker(&m, n);
    uint32_t known = done->len;
    int failed = 0;
    for (node_id n = 1; n < u->nodes.len && !failed; n++) {
        const char *path = u->files.at[node_of(u, n)->file].path;
        bool is_known = false;
        for (uint32_t i = 0; i < known && !is_known; i++)
            is_known = strcmp(done->at[i], path) == 0;
        if (is_known)
            continue;
        if (!is_done(done, path))
            vec_push(done, path);
        failed = prepare_node(&m, n);
    }
    return failed;
}

/* ---- the member ------------------------------------------------------------------------- */

void member_declare(const struct unit *u, node_id record, const char *text, struct patch *out)
{
    node_id last = NONE, before = NONE;
    for (node_id n = node_of(u, record)->first; n != NONE; n = node_of(u, n)->next)
        if (node_of(u, n)->kind == NODE_FIELD) {
            before = last;
            last = n;
        }
    /* an array without a length stays the last one */
    bool is_open = last != NONE && strstr(node_of(u, last)->type, "[]") && before != NONE;
    declare_behind(u, is_open ? before : last, text, out);
}
