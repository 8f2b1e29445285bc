# A change that restructures leaves nothing to compare with: all schedules with few preemptions are
# run instead. A confirmed race is failure enough.
cat >old.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
struct box { int full, lost; };
static struct box *box;
static void *put(void *a)
{
    for (int i = 0; i < 2; i++) {
        int seen = box->full;
        box->full = seen + 1;
    }
    return a;
}
int main(void)
{
    pthread_t a, b;
    box = calloc(1, sizeof *box);
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, put, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return box->full == 4 ? 0 : 1;
}
EOF
new() { # what locks, what unlocks
    cat <<EOF
#include <pthread.h>
#include <stdlib.h>
struct shelf { pthread_mutex_t m; pthread_cond_t c; long left, sum; };
static void take(struct shelf *s, long n)
{
    long all;
    pthread_mutex_lock(&s->m);
    all = s->sum + n;
    $1
    s->sum = all;
    if (--s->left == 0)
        pthread_cond_signal(&s->c);
    pthread_mutex_unlock(&s->m);
}
static void *serve(void *s)
{
    take(s, 2);
    take(s, 0);
    return 0;
}
int main(void)
{
    struct shelf s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 6, 0};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, serve, &s);
    pthread_mutex_lock(&s.m);
    while (s.left > 0)
        pthread_cond_wait(&s.c, &s.m);
    pthread_mutex_unlock(&s.m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return s.sum == 6 ? 0 : 1;
}
EOF
}
new "" >right.c
new "pthread_mutex_unlock(&s->m); pthread_mutex_lock(&s->m);" >half.c
sed 's/return box->full == 4 ? 0 : 1;/return 0;/' old.c >quiet.c
sed 's/        int seen/        __atomic_fetch_add(\&box->full, 1, 5); continue;\n&/' quiet.c >quiet-right.c
sed 's/        int seen/        if (a) continue;\n&/' quiet.c >quiet-half.c
judge() {
    code=0
    "$HEDDLE" verify --before "$1" --after "$2" >out 2>err || code=$?
    echo "$1 $2: exit code $code"
    sed -n 1p out
}
judge old.c right.c
"$HEDDLE" verify --json --before old.c --after right.c >json 2>err
grep -o '"bound":{[^}]*}\|"all_schedules":[a-z]*' json
judge old.c half.c
judge quiet.c quiet-right.c
judge quiet.c quiet-half.c
