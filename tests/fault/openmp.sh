# OpenMP by LLVM's library: the threads of a team are threads like others, and replays agree.
cat > team.c << 'END'
#include <stdio.h>
int main(void)
{
    int sum = 0, rounds = 0, tasks = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        rounds++;
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 4; i++) {
#pragma omp task
            {
#pragma omp atomic
                tasks++;
            }
        }
    }
    return printf("%d %d %d\n", sum, rounds, tasks) < 0;
}
END
for dir in "" $(ls -d /usr/lib/llvm-*/lib); do
    if "$HEDDLE" cc -O1 -fopenmp team.c ${dir:+-L$dir -Wl,-rpath,$dir} -o team 2> err; then
        break
    fi
done
[ -x team ] || { echo "no libomp"; exit 77; }
for policy in "fifo" "random --seed 1" "random --seed 2" "pct:3 --seed 1"; do
    timeout 60 "$HEDDLE" run --timeout 20 --policy $policy -- ./team
    timeout 60 "$HEDDLE" replay --timeout 20 team.heddle/runs/last
done
