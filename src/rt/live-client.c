/* SPDX-License-Identifier: Apache-2.0
 *
 * live-client: heddle starts somebody who talks to the target once it can be talked to. That is
 * when it listens, or has a name to which datagrams can be sent: a file says so, which heddle
 * waits for. When its client is done heddle asks the target to end, by SIGTERM; one that does
 * nothing about that ends as any other run does, with its files complete. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

static bool takes_datagrams(int fd)
{
    struct sockaddr_storage a = {0};
    const struct sockaddr_in *inet = (const void *)&a; /* both kinds have their port there */
    socklen_t len = sizeof a, bytes = sizeof(int);
    int type = 0;
    if (sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&bytes, 0) < 0 ||
        type != SOCK_DGRAM || sys_call(SYS_getsockname, fd, (long)&a, (long)&len, 0, 0, 0) < 0)
        return false;
    if (a.ss_family == AF_UNIX)
        return len > offsetof(struct sockaddr_un, sun_path);
    return (a.ss_family == AF_INET || a.ss_family == AF_INET6) && inet->sin_port != 0;
}

/* Behind every outside call. */
void client_call(const struct call *c)
{
    if (!rt.set.client[0] || rt.input.exact || rt.has_listened || c->result != 0)
        return;
    bool listens = __builtin_strcmp(c->name, "listen") == 0;
    if (!listens && (__builtin_strcmp(c->name, "bind") != 0 || !takes_datagrams(c->fd)))
        return;
    rt.has_listened = true;
    int fd = sys_open(rt.set.client, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        sys_close(fd);
}

void client_start(void)
{
    if (rt.set.client[0] && !rt.input.exact)
        signal_end_properly(SIGTERM);
}
