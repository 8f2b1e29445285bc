// SPDX-License-Identifier: Apache-2.0
// One-letter mailboxes: request and reply between a client and a clerk.
#include <pthread.h>
#include <stdio.h>

#define LOCK(obj) pthread_mutex_lock(&(obj)->mutex)
#define UNLOCK(obj) pthread_mutex_unlock(&(obj)->mutex)
#define WAIT(obj) pthread_cond_wait(&(obj)->arrived, &(obj)->mutex)
#define SIGNAL(obj) pthread_cond_signal(&(obj)->arrived)

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    int full;
    int letter;
};

#define MAILBOX_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0}

static struct mailbox requests = MAILBOX_INIT;
static struct mailbox replies = MAILBOX_INIT;

static void mailbox_post(struct mailbox *box, int letter)
{
    LOCK(box);
    box->letter = letter;
    box->full = 1;
    SIGNAL(box);
    UNLOCK(box);
}

static int mailbox_take(struct mailbox *box)
{
    int letter;

    if (!box->full) {
        LOCK(box);
        WAIT(box);
        UNLOCK(box);
    }
    letter = box->letter;
    box->full = 0;
    return letter;
}

static void *clerk(void *arg)
{
    (void)arg;
    for (;;) {
        int request = mailbox_take(&requests);
        if (request < 0)
            return NULL;
        mailbox_post(&replies, request * request);
    }
}

int main(void)
{
    pthread_t thread;
    int i, sum = 0;

    pthread_create(&thread, NULL, clerk, NULL);
    for (i = 1; i <= 2; i++) {
        mailbox_post(&requests, i);
        sum += mailbox_take(&replies);
    }
    mailbox_post(&requests, -1);
    pthread_join(thread, NULL);
    if (sum != 5) {
        fprintf(stderr, "replies add up to %d\n", sum);
        return 1;
    }
    return 0;
}
