# A failure that comes in every schedule is told as one that needs no second thread; one that a
# schedule decides is not, nor one that does not come where a new thread runs at once.
cat >sum.c <<'C'
#include <pthread.h>

static int sum;

static void *add(void *arg)
{
    sum += 3;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
#ifdef JOIN
    pthread_join(t, NULL);
    return sum != 6; /* always */
#else
    int late = sum != 3; /* who is first? */
    pthread_join(t, NULL);
    return late;
#endif
}
C
for how in -DJOIN -DEARLY; do
    "$HEDDLE" cc -g $how sum.c -o sum
    "$HEDDLE" check -- ./sum >report || echo "exit $?"
    grep -o "fails with one thread too" report || echo "it is about the schedule"
    grep -c "heddle fix" report || true
done
cp "$TOP/tests/cases/world/dead-frame.bug.c" frame.c
"$HEDDLE" cc -g frame.c -o frame
"$HEDDLE" check -- ./frame >report || echo "exit $?"
grep -o "fails with one thread too" report || echo "it is about the schedule"
