# SPDX-License-Identifier: Apache-2.0
# One lock less: what then misbehaves is found.
code() { "$@" || echo "exit $?"; }
cat >seats.ok.c <<'EOF'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, quiet = PTHREAD_MUTEX_INITIALIZER;
static int seats = 2, sold;
static void *sell(void *unused)
{
    pthread_mutex_lock(&quiet); /* guards nothing */
    pthread_mutex_unlock(&quiet);
    pthread_mutex_lock(&m);
    if (seats > 0) {
        seats--;
        sold++;
    }
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sell, NULL);
    pthread_create(&b, NULL, sell, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sold == 2 && seats == 0);
    return 0;
}
EOF
echo 'int main(void) { return 0; }' >nothing.c
code "$HEDDLE" selftest seats.ok.c nothing.c | sed 's,^/*[^ ]*/seats,seats,' | tr -s ' '
ls
code "$HEDDLE" selftest --quick --runs 5 "$TOP/tests/cases/atomicity/accounts.ok.c" | tail -1 | tr -s ' '
echo "== mistakes"
code "$HEDDLE" selftest nowhere.c
code "$HEDDLE" selftest --fast
