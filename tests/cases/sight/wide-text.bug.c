// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A wide text is measured while another thread copies a new one over it.
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
    size_t n = wcslen(name); //~ here
    pthread_join(t, NULL);
    return n == 0;
}
