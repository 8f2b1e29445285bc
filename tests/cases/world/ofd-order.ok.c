// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Accounts in a file: who moves money locks both of them, the lower one first.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { ACCOUNTS = 3 };
static void lock(int fd, int account, int type)
{
    struct flock l = {
        .l_type = (short)type, .l_whence = SEEK_SET, .l_start = account * 8, .l_len = 8};
    if (fcntl(fd, F_OFD_SETLKW, &l) < 0)
        abort();
}
static long get(int fd, int account)
{
    long v;
    if (pread(fd, &v, 8, account * 8) != 8)
        abort();
    return v;
}
static void set(int fd, int account, long v)
{
    if (pwrite(fd, &v, 8, account * 8) != 8)
        abort();
}
static void transfer(int fd, int from, int to, long amount)
{
    int one = from < to ? from : to;
    int two = from < to ? to : from;
    lock(fd, one, F_WRLCK);
    lock(fd, two, F_WRLCK);
    set(fd, from, get(fd, from) - amount);
    set(fd, to, get(fd, to) + amount);
    lock(fd, two, F_UNLCK);
    lock(fd, one, F_UNLCK);
}
struct job {
    int from, to;
};
static void *run(void *arg)
{
    struct job *j = arg;
    int fd = open("ofd-order.bank", O_RDWR);
    for (int i = 0; i < 2; i++)
        transfer(fd, j->from, j->to, 5);
    close(fd);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    struct job jobs[2] = {{0, 1}, {1, 0}};
    long sum = 0;
    int fd = open("ofd-order.bank", O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (int i = 0; i < ACCOUNTS; i++)
        set(fd, i, 100);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, run, &jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < ACCOUNTS; i++)
        sum += get(fd, i);
    close(fd);
    unlink("ofd-order.bank");
    printf("%ld\n", sum);
    return sum == 300 ? 0 : 1;
}
