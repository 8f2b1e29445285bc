// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: server.c
// Mended by hand: the server has its configuration before its thread starts.
#include "server.h"

#include <stdio.h>

static const struct config config = {3, "main"};
static struct server server;

int main(void)
{
    if (server_start(&server, &config) < 0)
        return 2;
    server_wait(&server);
    printf("%s: %d answers\n", config.name, server.answered);
    return server.answered == config.limit ? 0 : 1;
}
