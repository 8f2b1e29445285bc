/* SPDX-License-Identifier: Apache-2.0
 *
 * lines: a file as lines, with the little that has to be known about C without a parser: what
 * is code, comment or blank, how far a line is indented, and how lines end here. */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include "source/source.h"

uint32_t line_start(const struct source_file *f, uint32_t offset);
uint32_t line_end(const struct source_file *f, uint32_t offset); /* before its end mark */
uint32_t line_next(const struct source_file *f, uint32_t offset);
struct text line_indent(const struct source_file *f, uint32_t offset);
const char *line_mark(const struct source_file *f); /* "\n" or "\r\n" */
const char *indent_unit(const struct source_file *f);
bool is_first_on_line(const struct source_file *f, uint32_t offset);
/* Nothing but blanks and whole comments follows on the line. */
bool is_last_on_line(const struct source_file *f, uint32_t offset);
bool is_word_char(char c); /* of names; bytes of UTF-8 are */
/* Behind a comment (a constant in quotes, a preprocessor line) that begins here; the same byte
 * if none does. */
uint32_t skip_comment(const struct source_file *f, uint32_t at);
uint32_t skip_directive(const struct source_file *f, uint32_t at);
uint32_t skip_literal(const struct source_file *f, uint32_t at);
/* Behind blanks, comments and ends of lines. */
uint32_t skip_blanks(const struct source_file *f, uint32_t offset);
/* End of the last code between the two. */
uint32_t code_end(const struct source_file *f, uint32_t from, uint32_t to);
bool code_has_word(const struct source_file *f, uint32_t from, uint32_t to, const char *word);
/* Which #if group the byte is in: byte of the directive that opened it, or NONE. */
uint32_t condition_at(const struct source_file *f, uint32_t offset);
/* The first word between the two that leaves code, in an #if group that this build leaves out;
 * NONE: there is none. */
uint32_t hidden_jump(const struct unit *u, uint32_t file, uint32_t from, uint32_t to);
/* Are the edits right for every choice of #if groups? */
int groups_check(const struct patch *p, const struct source_file *f, struct err *err);
/* The file's braces of control statements stand on lines of their own. */
bool braces_stand_alone(const struct unit *u, uint32_t file);

/* Bodies of an `if`; the second is NONE if there is none. */
node_id if_then(const struct unit *u, node_id n);
node_id if_else(const struct unit *u, node_id n);

#endif
