# SPDX-License-Identifier: Apache-2.0
# What is submitted to Slurm, and that the scripts do what they are for when they are run as Slurm runs them.
"$HEDDLE" cc -g -o bank "$TOP/examples/bank.c" -pthread
for ((i = 0; i < 501; i++)); do echo "./bank $i"; done >many
show() { sed "s,$PWD,HERE,g; s,$HEDDLE,HEDDLE,g"; }
"$HEDDLE" campaign new c --policies fifo,random --runs 0 --tests-from many
"$HEDDLE" campaign run c --on slurm --slurm "night --time=60 --comment='a b'" --throttle 50 --dry-run | show
show <c/unit.sh
show <c/merge.sh
echo "-- only what is missing"
touch c/results/0/{0,1,2,5,999} c/results/1/1000
"$HEDDLE" campaign run c --on slurm --dry-run | sed -n 's/.*--array=\([^ ]*\).*/\1/p'
echo "-- as a task"
"$HEDDLE" campaign new d --policies fifo,random --runs 0 -- ./bank
"$HEDDLE" campaign run d --on slurm --dry-run >/dev/null
for task in 0 1; do HEDDLE_FIRST=0 SLURM_ARRAY_TASK_ID=$task sh d/unit.sh; done
ls d/results/0
"$HEDDLE" campaign units d --missing
"$HEDDLE" campaign merge d
echo "-- no Slurm"
PATH=/nowhere "$HEDDLE" campaign run c --on slurm 2>&1 >/dev/null || echo "exit $?"
