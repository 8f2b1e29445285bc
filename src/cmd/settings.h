/* SPDX-License-Identifier: Apache-2.0
 *
 * settings: options that come neither from the command line nor from chance: HEDDLE_OPTIONS,
 * and the file .heddle of the current directory. What the command line says goes first, then
 * the variable, then the file. */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

#include "base/arena.h"
#include "base/vec.h"
#include "cmd/cmd.h"

#define SETTINGS_FILE ".heddle"
#define SETTINGS_VARIABLE "HEDDLE_OPTIONS"

struct settings {
    struct arena mem;  /* owned: the words live in it */
    VEC(char *) words; /* what the command gets; NULL ends */
};

/* The command's words, with those options in front that it has and that were not given. A key
 * that no command has is refused. commands ends with NULL. */
int settings_apply(struct settings *out, const struct command *const *commands,
                   const struct command *c, int argc, char **argv, struct err *err);
void settings_done(struct settings *s);

static inline void auto_settings(struct settings *s)
{
    settings_done(s);
}

#endif
