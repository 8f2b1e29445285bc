// SPDX-License-Identifier: Apache-2.0
// Settings that are read when somebody first asks for them.
#ifndef SETTINGS_H
#define SETTINGS_H

struct settings {
    int width, height;
};

const struct settings *settings_get(void);
int settings_read(void); /* how often they were read */

#endif
