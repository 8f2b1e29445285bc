/* SPDX-License-Identifier: Apache-2.0
 *
 * find-record: questions about structs and classes. */
#include "source/source.h"

#include <string.h>

node_id record_of_access(const struct unit *u, node_id access)
{
    if (access == NONE || node_of(u, access)->kind != NODE_MEMBER)
        return NONE;
    node_id field = node_of(u, access)->declared;
    if (field == NONE || node_of(u, field)->kind != NODE_FIELD)
        return NONE;
    node_id record = node_of(u, field)->parent;
    return node_of(u, record)->kind == NODE_RECORD && *node_of(u, record)->name ? record : NONE;
}

node_id record_field(const struct unit *u, node_id record, const char *name)
{
    for (node_id n = node_of(u, record)->first; n != NONE; n = node_of(u, n)->next)
        if (node_of(u, n)->kind == NODE_FIELD && strcmp(node_of(u, n)->name, name) == 0)
            return n;
    return NONE;
}

/* The record that a declaration's type names; NONE: it is none of this unit's. */
static node_id record_of_type(const struct unit *u, const char *type)
{
    static const char *const words[] = {"struct ", "class ", "union "};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(type, words[i], strlen(words[i])) == 0)
            type += strlen(words[i]);
    for (node_id n = 1; *type && n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_RECORD && strcmp(node_of(u, n)->name, type) == 0)
            return n;
    return NONE;
}

node_id record_part_with(const struct unit *u, node_id record, const char *name)
{
    node_id found = NONE;
    for (node_id n = node_of(u, record)->first; n != NONE; n = node_of(u, n)->next) {
        node_id part =
            node_of(u, n)->kind == NODE_FIELD ? record_of_type(u, node_of(u, n)->type) : NONE;
        if (part == NONE || record_field(u, part, name) == NONE)
            continue;
        if (found != NONE)
            return NONE;
        found = n;
    }
    return found;
}

node_id record_lock(const struct unit *u, node_id record)
{
    node_id found = NONE;
    for (node_id n = node_of(u, record)->first; n != NONE; n = node_of(u, n)->next) {
        enum lock_sort sort;
        if (node_of(u, n)->kind != NODE_FIELD || !is_lock_type(u, node_of(u, n)->type, &sort))
            continue;
        if (found != NONE)
            return NONE;
        found = n;
    }
    return found;
}

node_id record_like(const struct unit *u, const struct unit *other, node_id record)
{
    const struct node *wanted = node_of(other, record);
    for (node_id n = 1; n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_RECORD && node_of(u, n)->start == wanted->start &&
            node_of(u, n)->end == wanted->end &&
            strcmp(u->files.at[node_of(u, n)->file].path, other->files.at[wanted->file].path) ==
                0)
            return n;
    return NONE;
}
