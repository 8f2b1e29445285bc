/* SPDX-License-Identifier: Apache-2.0
 *
 * calls: where the functions of a unit call others, as the compiler keeps it in a record of
 * section heddle_commands, for call stacks. A text: "=FUNCTION TAB FILE" for each function, and
 * behind it a line for each place in it, "LINE:COLUMN TAB CALLEE", with " TAB FILE" if that is
 * another one. A callee is what the source calls it, or its symbol where only that is known.
 * First stands "&FUNCTION" for each one that pointers may point to. */
#ifndef HEDDLE_CALLS_H
#define HEDDLE_CALLS_H

#define HEDDLE_CALLS_RECORD "calls"
#define HEDDLE_CALLS_UNKNOWN "*" /* a pointer was called */

#endif
