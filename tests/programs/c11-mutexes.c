/* C11 mtx_*: plain, recursive and timed mutexes with busy and timed-out results. */
//~ exit: 0
//~ stdout: counter 3000
//~ stdout: held: trylock busy, timedlock timedout; free: timedlock success
//~ stdout: recursive: success success, stranger busy
//~ std: c11
//~ tsan: skip it does not know C11 threads
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, timed, recursive;
static int counter, try_result, timed_result, stranger_result;

static const char *word(int rc)
{
    return rc == thrd_success ? "success" : rc == thrd_busy ? "busy" : "timedout";
}

static int count(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        mtx_lock(&plain);
        counter++;
        mtx_unlock(&plain);
    }
    return 0;
}

static int meet_held(void *arg)
{
    (void)arg;
    struct timespec end;
    timespec_get(&end, TIME_UTC);
    end.tv_nsec += 3000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    try_result = mtx_trylock(&timed);
    timed_result = mtx_timedlock(&timed, &end);
    stranger_result = mtx_trylock(&recursive);
    return 0;
}

int main(void)
{
    thrd_t t[3];
    mtx_init(&plain, mtx_plain);
    mtx_init(&timed, mtx_timed);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    for (int i = 0; i < 3; i++)
        thrd_create(&t[i], count, NULL);
    for (int i = 0; i < 3; i++)
        thrd_join(t[i], NULL);
    printf("counter %d\n", counter);

    int first = mtx_lock(&recursive), second = mtx_trylock(&recursive);
    mtx_unlock(&recursive); /* once more to go */
    mtx_lock(&timed);
    thrd_create(&t[0], meet_held, NULL);
    thrd_join(t[0], NULL);
    mtx_unlock(&timed);
    struct timespec past = {1, 0};
    printf("held: trylock %s, timedlock %s; free: timedlock %s\n", word(try_result),
           word(timed_result), word(mtx_timedlock(&timed, &past)));
    printf("recursive: %s %s, stranger %s\n", word(first), word(second), word(stranger_result));
    mtx_destroy(&plain);
    return 0;
}
