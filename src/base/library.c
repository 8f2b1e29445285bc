/* SPDX-License-Identifier: Apache-2.0
 *
 * library: opens the file and finds every function at once, so that a wrong version is told
 * before anything was begun. */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>

void library_not_loaded(void)
{
    check_failed(__FILE__, __LINE__, "the library was loaded before it was called");
}

static int load(struct library *l, struct err *err)
{
    void *file = NULL;
    for (uint32_t i = 0; l->files[i] && !file; i++)
        file = dlopen(l->files[i], RTLD_LAZY | RTLD_LOCAL);
    if (!file)
        return err_set(err, "%s", l->missing);
    for (uint32_t i = 0; i < l->count; i++)
        if (!(*l->functions[i].slot = dlsym(file, l->functions[i].name)))
            return err_set(err, "%s has no %s", l->files[0], l->functions[i].name);
    l->is_loaded = true;
    return 0;
}

int library_load(struct library *l, struct err *err)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    int failed = l->is_loaded ? 0 : load(l, err);
    pthread_mutex_unlock(&one_at_a_time);
    return failed;
}
