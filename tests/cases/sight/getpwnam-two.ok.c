// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// getpwnam_r fills what the caller gives it.
#include <pthread.h>
#include <pwd.h>
#include <stddef.h>

static void *look(void *arg)
{
    struct passwd mine, *p = NULL;
    char text[2048];
    if (getpwnam_r("root", &mine, text, sizeof text, &p) != 0)
        return NULL;
    *(unsigned *)arg = p != NULL ? p->pw_uid : 1; //~ here
    return NULL;
}

int main(void)
{
    unsigned uid[2] = {1, 1};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, look, &uid[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
