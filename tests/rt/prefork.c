/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Children with threads of their own, children of children, one that is waited for by nobody,
 * and a pipe between parent and child. */
#include "hooks.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *arg)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        sum++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static int work(int depth)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    pid_t pid = depth > 0 ? fork() : -1;
    if (pid == 0)
        _exit(work(depth - 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int status = 0;
    assert(pid < 0 || waitpid(pid, &status, 0) == pid);
    return WEXITSTATUS(status) + sum % 10;
}

int main(void)
{
    int ends[2], seen = 0;
    char text[8] = "";
    assert(pipe(ends) == 0);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            int code = work(i);
            char c = (char)('a' + i);
            assert(code >= 0 && write(ends[1], &c, 1) == 1);
            exit(i);
        }
    while (seen < 3)
        seen += (int)read(ends[0], text + seen, 1);
    assert(strchr(text, 'a') && strchr(text, 'b') && strchr(text, 'c'));
    int status = -1, sum_of_codes = 0;
    for (int i = 0; i < 2; i++) {
        assert(wait(&status) > 0);
        sum_of_codes += WEXITSTATUS(status);
    }
    return sum_of_codes >= 1 && sum_of_codes <= 3 ? 0 : 1;
}
