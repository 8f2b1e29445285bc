/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-exchange: an atomic variable is tested, and changed in a second operation:
 *     if (value > atomic_load(&m->peak))
 *         atomic_store(&m->peak, value);
 * Between the two others change it. Compare-exchange changes it only if it is still what was
 * tested, and tests again if not; a flag that is set is set and tested by one exchange. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

enum { ABOVE_MAX = 3 };

/* An `if` whose condition loads an atomic variable once. */
struct test {
    struct unit *u;
    node_id test, body, other; /* other: the else, or NONE */
    struct text condition;
    struct atomic_use load; /* in the condition */
};

static bool test_read(struct unit *u, node_id n, struct test *out)
{
    struct atomic_use more;
    const struct node *test = node_of(u, n);
    *out = (struct test){.u = u, .test = n};
    if (test->kind != NODE_IF || test->is_macro || test->first == NONE)
        return false;
    out->body = node_of(u, test->first)->next;
    if (out->body == NONE)
        return false;
    out->other = node_of(u, out->body)->next;
    out->condition = node_text(u, test->first);
    return atomic_use_next(out->condition, 0, &out->load) && out->load.does == ATOMIC_LOAD &&
           !atomic_use_next(out->condition, out->load.end, &more);
}

/* Does the statement change what the test loads, and nothing else? */
static bool is_change(const struct test *t, node_id statement, struct atomic_use *out)
{
    return statement != NONE && atomic_use_whole(text_trim(node_text(t->u, statement)), out) &&
           out->does != ATOMIC_LOAD && text_is(out->object, t->load.object);
}

/* "&m->peak" ends in "peak". */
static bool ends_in_name(struct text object, const char *name)
{
    size_t len = strlen(name);
    return len && object.len > len && memcmp(object.at + object.len - len, name, len) == 0 &&
           !isalnum((unsigned char)object.at[object.len - len - 1]) &&
           object.at[object.len - len - 1] != '_';
}

/* The value's type, for a variable of its own; NULL: it cannot be told. */
static const char *value_type(struct codebase *code, const struct test *t)
{
    static const char *const plain[][2] = {
        {"atomic_uint", "unsigned"},       {"atomic_ulong", "unsigned long"},
        {"atomic_llong", "long long"},     {"atomic_ullong", "unsigned long long"},
        {"atomic_uchar", "unsigned char"}, {"atomic_ushort", "unsigned short"}};
    if (t->u->is_cxx)
        return "auto";
    node_id in = node_function(t->u, t->test);
    for (node_id n = in; n != NONE; n = node_walk(t->u, in, n)) {
        const struct node *node = node_of(t->u, n);
        if (node->declared == NONE || !ends_in_name(t->load.object, node->name))
            continue;
        const char *type = node_of(t->u, node->declared)->type;
        for (uint32_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
            if (strcmp(type, plain[i][0]) == 0)
                return plain[i][1];
        if (strncmp(type, "_Atomic(", 8) == 0)
            return keep_text(code, "%.*s", (int)strlen(type) - 9, type + 8);
        if (strncmp(type, "_Atomic ", 8) == 0)
            return keep_text(code, "%s", type + 8);
        if (strncmp(type, "atomic_", 7) == 0)
            return keep_text(code, "%s", type + 7);
    }
    return NULL;
}

/* The text with every load of the variable, and the variable alone, called otherwise. */
static void rename_loads(const struct test *t, struct text in, const char *name,
                         struct str *out)
{
    struct atomic_use use;
    uint32_t at = 0;
    while (atomic_use_next(in, at, &use)) {
        bool is_ours = use.does == ATOMIC_LOAD && text_is(use.object, t->load.object);
        str_bytes(out, in.at + at, (is_ours ? use.start : use.end) - at);
        if (is_ours)
            str_add(out, "%s", name);
        at = use.end;
    }
    str_bytes(out, in.at + at, in.len - at);
}

/* "atomic_compare_exchange_weak(&m->peak, &seen, value)" */
static void say_exchange(const struct test *t, const struct atomic_use *change,
                         const char *name, struct str *out)
{
    if (change->is_method)
        str_add(out, "%.*scompare_exchange_weak(%s, ", TEXT_ARG(change->object), name);
    else
        str_add(out, "atomic_compare_exchange_weak(%.*s, &%s, ", TEXT_ARG(change->object),
                name);
    if (change->does != ATOMIC_STORE)
        str_add(out, "%s %c ", name, change->does == ATOMIC_ADD ? '+' : '-');
    rename_loads(t, change->arguments[0], name, out);
    str_char(out, ')');
}

/* The one statement of the body, in braces or not; NONE: there are more. */
static node_id only_statement(const struct unit *u, node_id body)
{
    const struct node *n = node_of(u, body);
    if (n->kind != NODE_COMPOUND)
        return body;
    return n->first != NONE && n->first == n->last ? n->first : NONE;
}

/* From the first byte of one statement to the last of another, something else. */
static void replace_both(struct unit *u, node_id first, node_id last, const char *text,
                         struct patch *out)
{
    uint32_t start = node_of(u, first)->start;
    patch_add(out, u->files.at[node_of(u, first)->file].path, start,
              statement_end(u, last) - start, code_lines(u, first, text), EDIT_OPEN);
}

/* "int seen = atomic_load(&m->peak);" and a line's end */
static bool say_first(struct codebase *code, const struct test *t, const char *name,
                      struct str *out)
{
    const char *type = value_type(code, t);
    struct text load = {t->condition.at + t->load.start, t->load.end - t->load.start};
    if (type)
        str_add(out, "%s %s = %.*s;\n", type, name, TEXT_ARG(load));
    return type;
}

/* What is written instead must not bind otherwise than it did. */
static bool is_joined(struct text condition)
{
    return memmem(condition.at, condition.len, "||", 2) ||
           memchr(condition.at, '?', condition.len);
}

/* if (TEST) CHANGE: while (TEST && !exchanged) ; */
static bool exchange_body(struct codebase *code, const struct test *t, struct patch *out)
{
    AUTO(str) struct str text = {0};
    struct atomic_use change;
    if (t->other != NONE || !is_change(t, only_statement(t->u, t->body), &change))
        return false;
    const char *name = unit_fresh(t->u, "seen");
    if (!say_first(code, t, name, &text))
        return false;
    bool is_many = is_joined(t->condition);
    str_add(&text, "while (%s", is_many ? "(" : "");
    rename_loads(t, t->condition, name, &text);
    str_add(&text, "%s && !", is_many ? ")" : "");
    say_exchange(t, &change, name, &text);
    str_add(&text, ")\n\t;");
    replace_both(t->u, t->test, t->test, text.at, out);
    return true;
}

/* Lines of the file, one step deeper than they are. */
static void deepen(const struct test *t, struct text lines, struct str *out)
{
    const struct node *n = node_of(t->u, t->test);
    const char *all = t->u->files.at[n->file].text.at;
    uint32_t begin = n->start;
    while (begin > 0 && all[begin - 1] != '\n')
        begin--;
    uint32_t indent = n->start - begin;
    for (uint32_t i = 0; i < lines.len; i++) {
        if (lines.at[i] == '\r')
            continue;
        str_char(out, lines.at[i]);
        if (lines.at[i] != '\n')
            continue;
        str_char(out, '\t');
        if (i + indent < lines.len && memcmp(lines.at + i + 1, all + begin, indent) == 0)
            i += indent;
    }
}

/* if (TEST) return; CHANGE: do { if (TEST) return; } while (!exchanged); */
static bool exchange_behind(struct codebase *code, const struct test *t, struct patch *out)
{
    AUTO(str) struct str renamed = {0}, text = {0};
    struct atomic_use change;
    const struct node *n = node_of(t->u, t->test);
    node_id last = only_statement(t->u, t->body);
    if (t->other != NONE || last == NONE || node_of(t->u, last)->kind != NODE_RETURN ||
        !is_change(t, n->next, &change))
        return false;
    const char *name = unit_fresh(t->u, "seen");
    if (!say_first(code, t, name, &text))
        return false;
    rename_loads(t,
                 (struct text){t->u->files.at[n->file].text.at + n->start,
                               statement_end(t->u, t->test) - n->start},
                 name, &renamed);
    str_add(&text, "do {\n\t");
    deepen(t, str_text(&renamed), &text);
    str_add(&text, "\n} while (!");
    say_exchange(t, &change, name, &text);
    str_add(&text, ");");
    replace_both(t->u, t->test, n->next, text.at, out);
    return true;
}

/* v = LOAD; if (TEST of v) return; STORE: do { if (TEST of v) return; } while (!exchanged) */
static bool exchange_known(struct unit *u, node_id first, struct patch *out)
{
    struct atomic_use load, change;
    AUTO(str) struct str lines = {0};
    node_id test = node_of(u, first)->next;
    node_id store = test == NONE ? NONE : node_of(u, test)->next;
    node_id v = node_of(u, first)->kind == NODE_DECLARATION ? node_of(u, first)->first : NONE;
    if (store == NONE || v == NONE || node_of(u, v)->kind != NODE_VARIABLE ||
        node_of(u, v)->next != NONE || node_of(u, test)->kind != NODE_IF ||
        strncmp(node_of(u, v)->type, "const ", 6) == 0)
        return false;
    node_id body = node_of(u, node_of(u, test)->first)->next;
    node_id leaves = body == NONE ? NONE : only_statement(u, body);
    struct text d = text_trim(node_text(u, first));
    struct text condition = node_text(u, node_of(u, test)->first);
    const char *name = node_of(u, v)->name, *equal = memchr(d.at, '=', d.len);
    while (d.len && d.at[d.len - 1] == ';')
        d.len--;
    if (leaves == NONE || node_of(u, leaves)->kind != NODE_RETURN || !equal ||
        node_of(u, body)->next != NONE ||
        !memmem(condition.at, condition.len, name, strlen(name)))
        return false;
    struct text value =
        text_trim((struct text){equal + 1, (uint32_t)(d.at + d.len - equal - 1)});
    if (!atomic_use_whole(value, &load) || load.does != ATOMIC_LOAD ||
        !atomic_use_whole(text_trim(node_text(u, store)), &change) ||
        change.does != ATOMIC_STORE || !text_is(change.object, load.object) ||
        !memmem(change.arguments[0].at, change.arguments[0].len, name, strlen(name)))
        return false;
    struct test t = {.u = u, .test = test, .load = load, .condition = condition};
    const struct node *n = node_of(u, test);
    str_add(&lines, "do {\n\t");
    deepen(&t,
           (struct text){u->files.at[n->file].text.at + n->start,
                         statement_end(u, test) - n->start},
           &lines);
    str_add(&lines, "\n} while (!");
    say_exchange(&t, &change, name, &lines);
    str_add(&lines, ");");
    replace_both(u, test, store, lines.at, out);
    return true;
}

static bool is_none(struct text t)
{
    return text_is(t, TEXT("0")) || text_is(t, TEXT("false"));
}

/* if (!flag) { flag = 1; ... }: if (!exchange(flag, 1)) { ... } */
static bool exchange_flag(const struct test *t, struct patch *out)
{
    AUTO(str) struct str text = {0};
    struct atomic_use change;
    struct text c = t->condition;
    node_id first =
        node_of(t->u, t->body)->kind == NODE_COMPOUND ? node_of(t->u, t->body)->first : NONE;
    if (t->load.end != c.len || t->load.start != 1 || c.at[0] != '!' ||
        !is_change(t, first, &change) || change.does != ATOMIC_STORE ||
        is_none(change.arguments[0]))
        return false;
    if (change.is_method)
        str_add(&text, "!%.*sexchange(%.*s)", TEXT_ARG(change.object),
                TEXT_ARG(change.arguments[0]));
    else
        str_add(&text, "!atomic_exchange(%.*s, %.*s)", TEXT_ARG(change.object),
                TEXT_ARG(change.arguments[0]));
    replace_node(t->u, node_of(t->u, t->test)->first, text.at, out);
    remove_statement(t->u, first, out);
    return true;
}

/* The `if` that the node is in, or that stands before it. */
static bool exchange(struct codebase *code, struct node_ref s, struct patch *out)
{
    struct unit *u = codebase_unit(code, s.unit);
    node_id at = node_statement(u, s.node);
    for (int above = 0; above < ABOVE_MAX && at != NONE; above++) {
        struct test t;
        node_id block = node_of(u, at)->parent;
        for (node_id n = node_of(u, block)->first; n != NONE; n = node_of(u, n)->next) {
            node_id next = node_of(u, n)->next;
            bool is_here =
                n == at || next == at || (next != NONE && node_of(u, next)->next == at);
            if (is_here && !is_body(u, n) && exchange_known(u, n, out))
                return true;
            if ((n == at || node_of(u, n)->next == at) && !is_body(u, n) &&
                test_read(u, n, &t) &&
                (exchange_flag(&t, out) || exchange_body(code, &t, out) ||
                 exchange_behind(code, &t, out)))
                return true;
        }
        at = statement_above(u, at);
    }
    return false;
}

static void exchange_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->kind != CAUSE_PATTERN)
        return;
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        if (s.node == NONE || node_statement(codebase_unit(code, s.unit), s.node) == NONE)
            continue;
        struct fix_candidate *one = candidate_new(out, "exchange", cause);
        if (exchange(code, s, &one->patch)) {
            candidate_explain(one, code, NULL,
                              "the variable is changed only if it is still what was tested");
            one->trade = "no lock; who comes second tests again";
            return;
        }
        candidate_free(one);
        out->candidates.len--;
    }
}

const struct recipe recipe_exchange = {
    .name = "exchange",
    .help = "an atomic variable is tested and changed in one step",
    .make = exchange_make,
    .turn = TURN_FIRST,
};
