/* SPDX-License-Identifier: Apache-2.0
 *
 * bitcode: what src/ir says about a program, for test scripts.
 *
 *     bitcode reach PROGRAM FILE:LINE FILE:LINE   can the first still reach the second? */
#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

static ir_place place(const struct ir *ir, const char *text)
{
    char file[1024] = "";
    unsigned line = 0;
    if (sscanf(text, "%1023[^:]:%u", file, &line) != 2)
        return NONE;
    return ir_find_line(ir, file, line);
}

static int reach(struct ir *ir, char **argv)
{
    ir_place from = place(ir, argv[0]), to = place(ir, argv[1]);
    if (from == NONE || to == NONE) {
        fprintf(stderr, "no code at %s\n", from == NONE ? argv[0] : argv[1]);
        return 2;
    }
    printf("%s to %s: %s\n", argv[0], argv[1], ir_reaches(ir, from, to) ? "yes" : "no");
    return 0;
}

int main(int argc, char **argv)
{
    AUTO(ir) struct ir *ir = NULL;
    struct err err;
    if (argc < 3)
        return 2;
    if (ir_open(&ir, argv[2], &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 4;
    }
    if (strcmp(argv[1], "reach") == 0 && argc == 5)
        return reach(ir, argv + 3);
    return 2;
}
