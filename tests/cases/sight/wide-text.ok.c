// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A wide text is measured after the thread that copies a new one over it has ended.
#include <pthread.h>
#include <wchar.h>

static wchar_t name[16] = L"anna";

static void *set(void *arg)
{
    wcscpy(name, L"wilhelmina"); //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    pthread_join(t, NULL);
    size_t n = wcslen(name); //~ here
    return n == 0;
}
