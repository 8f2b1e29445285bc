/* Several messages by one call (sendmmsg, recvmmsg), and a semaphore of System V in time. */
//~ exit: 0
//~ stdout: sent 3 of 3 3 2 bytes
//~ stdout: received 3 of 3 3 2 bytes: one two th
//~ stdout: none left EAGAIN, no span EINVAL
//~ stdout: semaphore: in time 0, late EAGAIN
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>

enum { COUNT = 3 };
static int pair[2], semaphore;

static void fill(struct mmsghdr *m, struct iovec *v, char text[][4], const size_t *bytes)
{
    memset(m, 0, COUNT * sizeof *m);
    for (int i = 0; i < COUNT; i++) {
        v[i] = (struct iovec){text[i], bytes[i]};
        m[i].msg_hdr.msg_iov = &v[i];
        m[i].msg_hdr.msg_iovlen = 1;
    }
}

static void *send_all(void *arg)
{
    char text[COUNT][4] = {"one", "two", "th"};
    struct mmsghdr m[COUNT];
    struct iovec v[COUNT];
    fill(m, v, text, (const size_t[]){3, 3, 2});
    int n = sendmmsg(pair[0], m, COUNT, 0);
    printf("sent %d of %u %u %u bytes\n", n, m[0].msg_len, m[1].msg_len, m[2].msg_len);
    return arg;
}

static void *post(void *arg)
{
    struct sembuf up = {0, 1, 0};
    semop(semaphore, &up, 1);
    return arg;
}

int main(void)
{
    char text[COUNT][4] = {{0}};
    struct mmsghdr m[COUNT];
    struct iovec v[COUNT];
    pthread_t t;
    struct timespec none = {0, -1}, minute = {60, 0}, moment = {0, 2000000};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0)
        return 1;
    fill(m, v, text, (const size_t[]){3, 3, 3});
    pthread_create(&t, NULL, send_all, NULL);
    int n = recvmmsg(pair[1], m, COUNT, 0, NULL); /* waits for all of them */
    pthread_join(t, NULL);
    printf("received %d of %u %u %u bytes: %s %s %s\n", n, m[0].msg_len, m[1].msg_len,
           m[2].msg_len, text[0], text[1], text[2]);
    int left = recvmmsg(pair[1], m, COUNT, MSG_DONTWAIT, NULL) < 0 ? errno : 0;
    int bad = recvmmsg(pair[1], m, COUNT, 0, &none) < 0 ? errno : 0;
    printf("none left %s, no span %s\n", strerrorname_np(left), strerrorname_np(bad));

    struct sembuf down = {0, -1, 0};
    semaphore = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&t, NULL, post, NULL);
    int in_time = semtimedop(semaphore, &down, 1, &minute);
    pthread_join(t, NULL);
    int late = semtimedop(semaphore, &down, 1, &moment) < 0 ? errno : 0;
    printf("semaphore: in time %d, late %s\n", in_time, strerrorname_np(late));
    semctl(semaphore, 0, IPC_RMID);
}
