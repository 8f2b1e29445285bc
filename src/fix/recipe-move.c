/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-move: a statement that comes too late or too early goes where threads cannot disturb
 * it: what a thread needs, before the thread is created; what it must not lose, behind the
 * join. Only if nothing that stands between depends on it. */
#include "fix/recipe.h"

#include <string.h>

enum { BELOW_MAX = 2, ABOVE_MAX = 3 }; /* calls that are followed */

static const char *const creates[] = {"pthread_create", "thrd_create", NULL};
static const char *const joins[] = {"pthread_join", "thrd_join", "join", NULL};

/* std::thread(f, ...), std::thread t(f, ...): not one that runs nothing yet. */
static bool is_thread_object(const struct unit *u, node_id n)
{
    const struct node *call = node_of(u, n);
    return u->is_cxx && call->kind == NODE_CALL && call->first != NONE &&
           (strcmp(call->name, "thread") == 0 || strcmp(call->name, "jthread") == 0);
}

static bool is_named(const struct unit *u, node_id n, const char *const *names)
{
    if (n != NONE && names == creates && is_thread_object(u, n))
        return true;
    for (; n != NONE && *names; names++)
        if (node_of(u, n)->kind == NODE_CALL && strcmp(node_of(u, n)->name, *names) == 0)
            return true;
    return false;
}

bool is_create(const struct unit *u, node_id n)
{
    return is_named(u, n, creates);
}

/* Is it such a call, or one of a function that makes one? */
static bool is_call_to(struct codebase *code, struct node_ref call, const char *const *names,
                       int depth)
{
    const struct unit *u = codebase_unit(code, call.unit);
    if (is_named(u, call.node, names))
        return true;
    if (node_of(u, call.node)->kind != NODE_CALL || depth == 0)
        return false;
    struct node_ref f = call_target(code, call);
    const struct unit *v = f.node == NONE ? NULL : codebase_unit(code, f.unit);
    for (node_id n = v ? f.node : NONE; n != NONE; n = node_walk(v, f.node, n))
        if (is_call_to(code, (struct node_ref){f.unit, n}, names, depth - 1))
            return true;
    return false;
}

/* The first (last) such call of the function. */
static node_id find_one(struct codebase *code, struct node_ref function,
                        const char *const *names, bool is_last)
{
    const struct unit *u = codebase_unit(code, function.unit);
    node_id found = NONE;
    for (node_id n = function.node; n != NONE; n = node_walk(u, function.node, n))
        if ((found == NONE || is_last) &&
            is_call_to(code, (struct node_ref){function.unit, n}, names, BELOW_MAX))
            found = n;
    return found;
}

/* With the section of a lock that it stands in. */
static struct range with_section(struct codebase *code, uint32_t unit, node_id statement)
{
    struct unit *u = codebase_unit(code, unit);
    struct range r = {statement, statement};
    node_id block = node_of(u, statement)->parent;
    for (node_id s = node_of(u, block)->first; s != NONE && s != statement;
         s = node_of(u, s)->next) {
        struct lock_use lock;
        struct err ignored;
        lock.expression = call_lock(u, s, &lock.sort);
        struct range grown = {statement, statement};
        if (lock.expression && section_fit(u, &lock, &grown, &ignored) == 0 && grown.first == s)
            r = grown;
    }
    return r;
}

static bool is_declared_in(const struct unit *u, node_id variable, struct range r)
{
    return variable != NONE && range_has(u, r, variable);
}

static bool is_written_in(const struct unit *u, node_id variable, struct range r)
{
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n))
            if (node_of(u, n)->kind == NODE_NAME && node_of(u, n)->declared == variable &&
                node_is_written(u, n))
                return true;
        if (s == r.last)
            break;
    }
    return false;
}

bool may_change_places(const struct unit *u, struct range moved, struct range passed)
{
    for (node_id s = moved.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            node_id v = node_of(u, n)->kind == NODE_NAME ? node_of(u, n)->declared : NONE;
            if (v == NONE || node_of(u, v)->kind == NODE_FUNCTION || node_of(u, v)->is_global)
                continue;
            if (is_declared_in(u, v, passed) || is_written_in(u, v, passed))
                return false;
        }
        if (s == moved.last)
            break;
    }
    return true;
}

void statements_move(struct unit *u, struct range r, node_id target, enum insert_part part,
                     struct patch *out)
{
    VEC(node_id) list = {0};
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        vec_push(&list, s);
        if (s == r.last)
            break;
    }
    for (uint32_t i = 0; i < list.len; i++) {
        node_id s = list.at[part == INSERT_CLOSE ? list.len - 1 - i : i];
        const struct node *n = node_of(u, s);
        AUTO(str) struct str text = {0};
        str_bytes(&text, u->files.at[n->file].text.at + n->start,
                  statement_end(u, s) - n->start);
        unit_insert(u, target, part, text.at);
        remove_statement(u, s, out);
    }
    vec_done(&list);
}

/* What a move became. */
struct moved {
    struct patch *patch;
    bool is_serial; /* what ran beside a thread no longer does */
};

/* Does it create a thread, or take a lock: was it written to run beside others? What makes
 * something ready, or destroys it, was not. */
static bool is_concurrent_call(struct codebase *code, struct node_ref in, int depth)
{
    struct unit *u = codebase_unit(code, in.unit);
    for (node_id n = in.node; n != NONE; n = node_walk(u, in.node, n)) {
        enum lock_sort sort;
        bool is_call = node_of(u, n)->kind == NODE_CALL;
        if (is_named(u, n, creates) || (is_call && call_lock(u, n, &sort)) || guard_lock(u, n))
            return true;
        struct node_ref f = is_call ? call_target(code, (struct node_ref){in.unit, n})
                                    : (struct node_ref){0, NONE};
        if (f.node != NONE && depth > 0 && is_concurrent_call(code, f, depth - 1))
            return true;
    }
    return false;
}

static bool is_concurrent(struct codebase *code, uint32_t unit, struct range r)
{
    const struct unit *u = codebase_unit(code, unit);
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        enum lock_sort sort;
        bool is_own = r.first != r.last && call_lock(codebase_unit(code, unit), s, &sort);
        if (!is_own && is_concurrent_call(code, (struct node_ref){unit, s}, BELOW_MAX))
            return true;
        if (s == r.last)
            break;
    }
    return false;
}

/* The statements of both in the block that has them: a moves across to b. */
static int move_across(struct codebase *code, uint32_t unit, node_id a, node_id b, bool is_up,
                       struct moved *out, struct err *err)
{
    struct unit *u = codebase_unit(code, unit);
    struct range both;
    if (range_of(u, a, b, &both, err) < 0)
        return -1;
    if (both.first == both.last)
        return err_set(err, "the statement and the thread are in one statement");
    node_id moving = is_up ? both.last : both.first, target = is_up ? both.first : both.last;
    if (!node_is_in(u, a, moving) || !node_is_in(u, b, target))
        return err_set(err, "the statement stands where it should already");
    struct range r = with_section(code, unit, moving);
    if (range_has(u, r, target))
        return err_set(err, "the statement and the thread are in one section");
    struct range passed =
        is_up ? (struct range){target, r.first} : (struct range){r.last, target};
    if (!may_change_places(u, r, passed) && is_up)
        return err_set(err, "what stands between decides what the statement does");
    out->is_serial = is_concurrent(code, unit, r);
    statements_move(u, r, target, is_up ? INSERT_OPEN : INSERT_CLOSE, out->patch);
    unit_flush(u, out->patch);
    return 0;
}

/* free(p) in a thread that got p from its creator: the creator frees it, behind the join. */
static int free_in_creator(struct codebase *code, uint32_t unit, node_id call,
                           struct patch *out, struct err *err)
{
    struct unit *u = codebase_unit(code, unit);
    node_id function = node_function(u, call);
    const char *name = node_of(u, function)->name;
    for (node_id n = 1; n < u->nodes.len; n++) {
        if (!is_named(u, n, creates))
            continue;
        node_id argument = node_of(u, n)->last, entry = NONE;
        for (node_id c = node_of(u, n)->first; c != NONE && c != argument;
             c = node_of(u, c)->next)
            entry = c;
        if (entry == NONE || !text_is(node_text(u, entry), text_of(name)))
            continue;
        node_id join =
            find_one(code, (struct node_ref){unit, node_function(u, n)}, joins, true);
        if (join == NONE)
            return err_set(err, "the threads are not joined");
        struct text value = node_text(u, argument);
        unit_insert(u, node_statement(u, join), INSERT_CLOSE,
                    keep_text(code, "free(%.*s);", TEXT_ARG(value)));
        remove_statement(u, node_statement(u, call), out);
        unit_flush(u, out);
        return 0;
    }
    return err_set(err, "who gave the thread what it frees was not found");
}

bool is_release(const struct unit *u, node_id n)
{
    static const char *const names[] = {"free",
                                        "pthread_mutex_destroy",
                                        "pthread_cond_destroy",
                                        "pthread_barrier_destroy",
                                        "sem_destroy",
                                        "fclose",
                                        NULL};
    return is_named(u, n, names);
}

static int move_step(struct codebase *code, const struct cause_step *step, bool is_last,
                     struct moved *out, struct err *err)
{
    struct node_ref s = codebase_find(code, &step->site);
    if (s.node == NONE)
        return err_set(err, "its source was not found");
    struct unit *u = codebase_unit(code, s.unit);
    struct node_ref function = {s.unit, node_function(u, s.node)};
    node_id statement = node_statement(u, s.node), released = NONE;
    if (function.node == NONE || statement == NONE)
        return err_set(err, "it is in no function");
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n))
        released = is_release(u, n) ? n : released;
    struct code_stack stack = step->stack;
    struct node_ref at = s;
    for (int above = 0; above <= ABOVE_MAX && at.node != NONE; above++) {
        u = codebase_unit(code, at.unit);
        function = (struct node_ref){at.unit, node_function(u, at.node)};
        if (function.node == NONE)
            break;
        node_id create = find_one(code, function, creates, false);
        node_id join = find_one(code, function, joins, true);
        uint32_t start = node_of(u, at.node)->start;
        if (create != NONE && join != NONE && node_of(u, create)->start < start &&
            node_of(u, join)->start < start)
            return err_set(err, "it stands behind the join of the threads already");
        /* further away only what makes something ready, or ends it, may go elsewhere */
        bool may_rise =
            step->action == CAUSE_WRITE || (above == 0 && is_named(u, create, creates));
        bool may_sink = released != NONE || (above == 0 && is_named(u, join, joins));
        if (is_last && create != NONE && node_of(u, create)->start < start &&
            released == NONE && may_rise)
            return move_across(code, at.unit, at.node, create, true, out, err);
        if (join != NONE && node_of(u, join)->start > start && may_sink)
            return move_across(code, at.unit, at.node, join, false, out, err);
        if (create != NONE || join != NONE)
            return err_set(err, "no thread is created or joined where it stands");
        at = caller_of(code, function, &stack); /* what is called there is moved as a whole */
        stack.depth -= stack.depth > 0;
    }
    return released != NONE ? free_in_creator(code, s.unit, released, out->patch, err)
                            : err_set(err, "no thread is created or joined where it stands");
}

/* ---- the thread is created last --------------------------------------------------------- */

/* Does a node of the statement name one of the variables that the other one names? */
static bool is_about(const struct unit *u, node_id statement, node_id variable)
{
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n))
        if (node_of(u, n)->declared == variable &&
            (node_of(u, n)->kind == NODE_NAME || node_of(u, n)->kind == NODE_MEMBER))
            return true;
    return false;
}

/* Has the statement to come behind what creates the threads: does it leave, join, or use what
 * they are kept in? */
static bool needs_thread(struct codebase *code, uint32_t unit, node_id created,
                         node_id statement)
{
    const struct unit *u = codebase_unit(code, unit);
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n)) {
        enum node_kind kind = node_of(u, n)->kind;
        bool leaves = kind == NODE_RETURN || kind == NODE_GOTO || kind == NODE_BREAK ||
                      kind == NODE_CONTINUE || kind == NODE_LABEL || kind == NODE_CASE;
        if (leaves || is_call_to(code, (struct node_ref){unit, n}, joins, BELOW_MAX) ||
            is_call_to(code, (struct node_ref){unit, n}, creates, BELOW_MAX))
            return true;
    }
    for (node_id n = created; n != NONE; n = node_walk(u, created, n)) {
        const struct node *kept = node_of(u, n);
        bool is_kept = kept->kind == NODE_VARIABLE || node_is_written(u, n);
        node_id v = kept->kind == NODE_VARIABLE ? n : kept->declared;
        if (is_kept && v != NONE && is_about(u, statement, v))
            return true;
    }
    return false;
}

/* What the creator does behind the creation, and the thread was too early for, comes before. */
static int create_last(struct codebase *code, const struct cause_step *step, struct moved *out,
                       struct err *err)
{
    struct node_ref s = codebase_find(code, &step->site);
    struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
    struct node_ref function = {s.unit, u ? node_function(u, s.node) : NONE};
    node_id create = function.node == NONE ? NONE : find_one(code, function, creates, false);
    if (create == NONE)
        return err_set(err, "no thread is created where it stands");
    node_id created = node_statement(u, create), last = NONE;
    if (created == NONE)
        return err_set(err, "the thread is created in a list of initialisers");
    for (node_id loop = loop_around(u, create); loop != NONE; loop = loop_around(u, loop))
        created = loop;
    if (is_body(u, created))
        return err_set(err, "the thread is created on one way only");
    struct range moved = {created, created};
    for (node_id n = node_of(u, created)->next; n != NONE; n = node_of(u, n)->next) {
        if (needs_thread(code, s.unit, created, n) ||
            !may_change_places(u, moved, (struct range){n, n}))
            break;
        last = n;
    }
    if (last == NONE)
        return err_set(err, "nothing that could be done before stands behind the creation");
    node_id next = node_of(u, last)->next;
    out->is_serial =
        next != NONE && is_call_to(code, (struct node_ref){s.unit, next}, joins, BELOW_MAX);
    statements_move(u, moved, last, INSERT_CLOSE, out->patch);
    unit_flush(u, out->patch);
    return 0;
}

/* What runs nothing at the same time any more says so, and comes behind all that does. */
static void explain_move(struct fix_candidate *one, struct codebase *code,
                         const struct moved *m, const char *what)
{
    candidate_explain(
        one, code, NULL,
        m->is_serial ? keep_text(code, "%s: it runs them one after the other", what) : what);
    if (m->is_serial) {
        one->is_last = true;
        one->trade = "it runs them one after the other";
    }
}

static void try_create_last(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    struct fix_candidate *one = candidate_new(out, "move", cause);
    struct moved m = {.patch = &one->patch};
    struct err err;
    for (uint32_t i = 0; i < c->step_count; i++)
        if (create_last(code, &c->steps[i], &m, &err) == 0) {
            explain_move(one, code, &m,
                         "the thread is created when what it needs has been made ready");
            return;
        }
    candidate_drop(out, code, &err);
}

static void move_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->kind != CAUSE_PATTERN || c->step_count > 3)
        return;
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct fix_candidate *one = candidate_new(out, "move", cause);
        struct moved m = {.patch = &one->patch};
        struct err err;
        if (move_step(code, &c->steps[i], i > 0, &m, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        explain_move(one, code, &m, "the statement goes where no thread can come in between");
    }
    if (c->step_count == 2)
        try_create_last(code, cause, out);
}

const struct recipe recipe_move = {
    .name = "move",
    .help = "work before a thread is created or behind its join",
    .make = move_make,
};
