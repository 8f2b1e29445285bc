// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings *settings;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static struct settings *read_settings(void)
{
    struct settings *s = malloc(sizeof *s);
    if (!s)
        abort();
    s->width = 80;
    s->height = 25;
    pthread_mutex_lock(&count_lock);
    count++;
    pthread_mutex_unlock(&count_lock);
    return s;
}

const struct settings *settings_get(void)
{
    pthread_mutex_lock(&settings_lock);
    if (!settings)
        settings = read_settings();
    struct settings *found = settings;
    pthread_mutex_unlock(&settings_lock);
    return found;
}

int settings_read(void)
{
    pthread_mutex_lock(&count_lock);
    int now = count;
    pthread_mutex_unlock(&count_lock);
    return now;
}
