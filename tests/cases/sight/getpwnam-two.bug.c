// SPDX-License-Identifier: Apache-2.0
//~ check: race
// getpwnam's result is one object for all threads.
#include <pthread.h>
#include <pwd.h>
#include <stddef.h>

static void *look(void *arg)
{
    struct passwd *p = getpwnam("root");          //~ here
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
