# SPDX-License-Identifier: Apache-2.0
# OpenMP by libomp: right programs are right in other schedules and in replays, and not alarmed about; a
# race is found; what is not modelled is named.
cat > right.c << 'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
    long sum = 0, most = 0;
    int counted = 0, in_order = 0, made[8], dep = 0, seen = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
#pragma omp for reduction(+ : sum) reduction(max : most) schedule(dynamic, 3)
        for (int i = 0; i < 40; i++) {
            sum += i;
            most = i > most ? i : most;
        }
#pragma omp critical
        counted++;
#pragma omp barrier
        omp_set_lock(&lock);
        counted++;
        omp_unset_lock(&lock);
#pragma omp for ordered
        for (int i = 0; i < 6; i++)
#pragma omp ordered
            in_order = in_order * 10 + i;
#pragma omp single
        {
            for (int i = 0; i < 8; i++)
#pragma omp task firstprivate(i)
                made[i] = i * i;
#pragma omp task depend(out : dep)
            dep = 1;
#pragma omp task depend(in : dep) depend(out : seen)
            seen = dep + 2;
#pragma omp taskwait
        }
    }
    printf("%ld %ld %d %d %d %d\n", sum, most, counted, in_order, made[7], seen);
    return 0;
}
END
cat > wrong.c << 'END'
int main(void)
{
    int counted = 0;
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 9; i++)
        counted++;
    return counted < 0;
}
END
"$HEDDLE" cc -O1 -g -w -fopenmp right.c -o right 2> why || exit 77 # no libomp here
"$HEDDLE" run -- ./right 2>&1
"$HEDDLE" replay --times 3 right.heddle/runs/last
"$HEDDLE" run --policy pos --runs 10 -- ./right 2>&1 | cut -c 1-35
"$HEDDLE" check --explore 0 -- ./right 2>/dev/null | head -n 1
"$HEDDLE" cc -O1 -g -w -fopenmp wrong.c -o wrong
"$HEDDLE" check -- ./wrong 2>/dev/null | sed -n 's/race-[0-9a-f]*/race/; 1p' | cut -d, -f1
# What the library orders by atomics of its own orders what is weak, too: nothing is told but what nowait leaves unordered.
cat >weak.c <<'E'
#include <stdio.h>
int main(void)
{
    int counts[2] = {0};
    double best = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for NOWAIT
        for (int i = 0; i < 4; i++) {
#pragma omp atomic
            counts[i % 2]++;
        }
#ifdef bug
        counts[0] += 0;
#endif
#pragma omp single
        best = 1.5;
#pragma omp critical
        best += 0.5;
#pragma omp sections
        {
#pragma omp section
            counts[0] += 1;
#pragma omp section
            counts[1] += 1;
        }
    }
    printf("%d %d %g\n", counts[0], counts[1], best);
    return 0;
}
E
"$HEDDLE" cc -g -O1 -fopenmp -DNOWAIT= weak.c -o weak-ok
"$HEDDLE" cc -g -O1 -fopenmp -DNOWAIT=nowait -Dbug weak.c -o weak-bug
for k in ok bug; do
    for seed in 1 2 3; do "$HEDDLE" run --weak --policy random --seed $seed -- ./weak-$k 2>&1; done >told
    echo "$k: $(grep -c "^3 3 2.5" told) $(grep -c "data race" told | sed 's/[1-9][0-9]*/some/') races"
done
