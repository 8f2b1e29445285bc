// SPDX-License-Identifier: Apache-2.0
#include "conf.h"

#include <pthread.h>
#include <stdlib.h>

int conf_loads;
static struct conf *conf;

static void conf_load(void)
{
    struct conf *made = calloc(1, sizeof *made);
    if (!made)
        abort();
    made->port = 80;
    made->limit = 5;
    conf = made;
    conf_loads++;
}

const struct conf *conf_get(void)
{
    if (!conf)
        conf_load();
    return conf;
}
