/* C11 cnd_*: wait, signal, broadcast and a timed wait that ends. */
//~ exit: 0
//~ stdout: received 10 20 30, released 3, timed wait timedout
//~ std: c17
//~ tsan: skip it does not know C11 threads
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t m;
static cnd_t filled, emptied, start;
static int slot, received[3], started, released;

static int receive(void *arg)
{
    (void)arg;
    mtx_lock(&m);
    for (int i = 0; i < 3; i++) {
        while (slot == 0)
            cnd_wait(&filled, &m);
        received[i] = slot;
        slot = 0;
        cnd_signal(&emptied);
    }
    mtx_unlock(&m);
    return 0;
}

static int runner(void *arg)
{
    (void)arg;
    mtx_lock(&m);
    while (!started)
        cnd_wait(&start, &m);
    released++;
    mtx_unlock(&m);
    return 0;
}

int main(void)
{
    thrd_t t[4];
    mtx_init(&m, mtx_timed);
    cnd_init(&filled);
    cnd_init(&emptied);
    cnd_init(&start);
    thrd_create(&t[0], receive, NULL);
    for (int i = 1; i < 4; i++)
        thrd_create(&t[i], runner, NULL);
    mtx_lock(&m);
    for (int i = 10; i <= 30; i += 10) {
        while (slot != 0)
            cnd_wait(&emptied, &m);
        slot = i;
        cnd_signal(&filled);
    }
    started = 1;
    cnd_broadcast(&start);
    mtx_unlock(&m);
    for (int i = 0; i < 4; i++)
        thrd_join(t[i], NULL);

    struct timespec past = {1, 0};
    int rc = thrd_success;
    mtx_lock(&m);
    while (rc == thrd_success)
        rc = cnd_timedwait(&filled, &m, &past);
    mtx_unlock(&m);
    printf("received %d %d %d, released %d, ", received[0], received[1], received[2], released);
    printf("timed wait %s\n", rc == thrd_timedout ? "timedout" : "failed");
    cnd_destroy(&filled);
    return 0;
}
