/* SPDX-License-Identifier: Apache-2.0
 *
 * client-options: see client-options.h. */
#include "cmd/client-options.h"

#include "base/io.h"
#include "heddle/peers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is this a record of who talked to a run? */
static int check_peers(const char *path, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    struct peer_head head = {0};
    if (bytes_read(&b, path, err) < 0)
        return -1;
    if (b.len >= sizeof head)
        memcpy(&head, b.at, sizeof head);
    if (head.magic != PEERS_MAGIC)
        return err_set(err, "%s: no record of who talked to a run", path);
    return 0;
}

/* One command, one run whose peers are played: the path stays. */
static const char *find_peers(const char *run, struct err *err)
{
    static char absolute[PATH_MAX];
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/peers", run);
    if (!realpath(path.at, absolute)) {
        err_set(err, "%s: nobody talked to that run from outside (it has no peers)", run);
        return NULL;
    }
    return check_peers(absolute, err) < 0 ? NULL : absolute;
}

struct client_opts client_or_peers(const struct client_opts *o, const char *run)
{
    AUTO(str) struct str path = {0};
    struct client_opts own = *o;
    str_add(&path, "%s/peers", run ? run : "");
    if (run && !o->command && !o->peers && access(path.at, R_OK) == 0)
        own.peers = run;
    return own;
}

int client_set(struct run_opts *out, const struct client_opts *o, struct err *err)
{
    out->client = o->command;
    out->client_wait_s = o->wait_s < UINT32_MAX / 2 ? (uint32_t)o->wait_s : UINT32_MAX / 2;
    if (o->command && o->peers)
        return err_set(err, "--client starts somebody to talk to the program, --peers plays "
                            "somebody: say one of them");
    if (o->peers && !(out->peers = find_peers(o->peers, err)))
        return -1;
    return 0;
}
