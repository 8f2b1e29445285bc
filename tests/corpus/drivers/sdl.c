/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads as SDL gives them to games: a worker that gets jobs by mutex and condition, one that
 * is told by a semaphore, a timer's callback, atomics and
 * events that another thread pushes. */
#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 4 };

static SDL_mutex *lock;
static SDL_cond *changed;
static SDL_sem *told;
static SDL_atomic_t ticks, done;
static int jobs[JOBS], put, sum;

static void must(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "%s: %s\n", what, SDL_GetError());
        exit(1);
    }
}

static int SDLCALL work(void *unused)
{
    (void)unused;
    for (int got = 0; got < JOBS; got++) {
        SDL_LockMutex(lock);
        while (put == got)
            SDL_CondWait(changed, lock);
        sum += jobs[got];
        SDL_UnlockMutex(lock);
        SDL_AtomicIncRef(&done);
        SDL_SemPost(told);
    }
    return sum;
}

static int SDLCALL push(void *type)
{
    for (int i = 0; i < JOBS; i++) {
        SDL_Event event = {.user = {.type = *(Uint32 *)type, .code = i}};
        must(SDL_PushEvent(&event) == 1, "push");
    }
    return 0;
}

static Uint32 SDLCALL tick(Uint32 interval, void *unused)
{
    (void)unused;
    SDL_AtomicAdd(&ticks, 1);
    SDL_SemPost(told);
    return SDL_AtomicGet(&ticks) < 2 ? interval : 0;
}

static void workers(void)
{
    SDL_Thread *worker = SDL_CreateThread(work, "worker", NULL);
    must(worker != NULL, "thread");
    for (int i = 0; i < JOBS; i++) {
        SDL_LockMutex(lock);
        jobs[put++] = i + 1;
        SDL_CondSignal(changed);
        SDL_UnlockMutex(lock);
    }
    for (int i = 0; i < JOBS; i++)
        SDL_SemWait(told);
    int result;
    SDL_WaitThread(worker, &result);
    must(result == JOBS * (JOBS + 1) / 2 && SDL_AtomicGet(&done) == JOBS, "sum");
}

static void events(void)
{
    Uint32 type = SDL_RegisterEvents(1);
    SDL_Thread *pusher = SDL_CreateThread(push, "pusher", &type);
    must(pusher != NULL, "thread");
    for (int i = 0; i < JOBS;) {
        SDL_Event event;
        must(SDL_WaitEvent(&event) == 1, "event");
        i += event.type == type;
    }
    SDL_WaitThread(pusher, NULL);
}

int main(void)
{
    SDL_SetMainReady();
    must(SDL_Init(SDL_INIT_TIMER | SDL_INIT_EVENTS) == 0, "init");
    lock = SDL_CreateMutex(), changed = SDL_CreateCond(), told = SDL_CreateSemaphore(0);
    must(lock && changed && told, "create");
    workers();
    must(SDL_AddTimer(1, tick, NULL) != 0, "timer");
    for (int i = 0; i < 2; i++)
        SDL_SemWait(told);
    events();
    SDL_DestroySemaphore(told);
    SDL_DestroyCond(changed);
    SDL_DestroyMutex(lock);
    SDL_Quit();
    puts("good");
    return 0;
}
