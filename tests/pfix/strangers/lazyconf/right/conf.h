// SPDX-License-Identifier: Apache-2.0
#ifndef CONF_H
#define CONF_H

struct conf {
    int port, limit;
};

#define CONF(field) (conf_get()->field)

extern int conf_loads;
const struct conf *conf_get(void);

#endif
