# SPDX-License-Identifier: Apache-2.0
# Recorded runs that come to no end are told by who waits and who spins, and elements of arrays by
# their numbers. What Heddle does not model is no fault of the program's.
code() { "$@" || echo "exit $?"; }
cat >dine.c <<'EOF'
#include <pthread.h>
enum { GUESTS = 5 };
static pthread_mutex_t stick[GUESTS];
static pthread_barrier_t seated;
static void *eat(void *arg)
{
    long me = (long)arg;
    pthread_mutex_lock(&stick[me]);
    pthread_barrier_wait(&seated);
    pthread_mutex_lock(&stick[(me + 1) % GUESTS]);
    pthread_mutex_unlock(&stick[(me + 1) % GUESTS]);
    pthread_mutex_unlock(&stick[me]);
    return NULL;
}
int main(void)
{
    pthread_t t[GUESTS];
    pthread_barrier_init(&seated, NULL, GUESTS);
    for (long i = 0; i < GUESTS; i++)
        pthread_create(&t[i], NULL, eat, (void *)i);
    for (int i = 0; i < GUESTS; i++)
        pthread_join(t[i], NULL);
}
EOF
echo "== more threads than columns"
code "$HEDDLE" check --no-explore --symbolic off dine.c >report
sed -n '/recorded run/,/ends/p' report
cat >spin.c <<'EOF'
#include <pthread.h>
static volatile int ready;
static void *wait(void *arg)
{
    while (!ready)
        ;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait, NULL);
    pthread_join(t, NULL);
}
EOF
echo "== who spins"
code "$HEDDLE" check --no-explore --symbolic off spin.c >report
sed -n '/recorded run/,/ends/p' report
cat >aio.c <<'EOF'
#include <aio.h>
#include <pthread.h>
static int read_;
static void *later(void *arg)
{
    struct aiocb request = {0};
    read_ = aio_read(&request);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, later, NULL);
    pthread_join(t, NULL);
}
EOF
echo "== not modelled"
code "$HEDDLE" check aio.c
