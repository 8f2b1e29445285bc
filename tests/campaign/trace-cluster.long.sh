# SPDX-License-Identifier: Apache-2.0
# limit: 7200
# A long trace predicted from by three hosts of Slurm: what they find is what one process finds. EVENTS: how many (1e7), which take
# 40 bytes each in the memory of each of four processes; MEMORY: megabytes that each may hold, the rest goes into files.
events=${EVENTS:-1e7}
memory=${MEMORY:-2000}
cluster=$PWD/cluster
SLURM_CONF=$cluster/slurm.conf
export SLURM_CONF
"$HERE/cluster" start "$cluster" || exit $?
trap '"$HERE/cluster" stop "$cluster"; rm -f long.trace' EXIT
"$BUILD/bench/bench-predict" --make long.trace S "$events"
"$HEDDLE" predict --jobs 1 --memory "$memory" --json long.trace >whole.json 2>said
"$HEDDLE" campaign new c --trace long.trace --chunks 3 --memory "$memory"
"$HEDDLE" campaign run c --on slurm --slurm all --throttle 3 >submitted
for ((wait = 0; wait < 7200; wait++)); do
    ! "$HEDDLE" campaign status c | grep -q 'is over' || break
    sleep 0.5
done
"$HEDDLE" campaign status c | tail -1
"$HEDDLE" campaign report c --hosts >hosts
sed 's/:.*//' hosts
told() {
    python3 -c '
import json, sys
keys = "pattern", "id", "message", "sites", "steps", "threads"
print(*sorted(json.dumps([f[k] for k in keys], sort_keys=True) for f in json.load(sys.stdin)["findings"]), sep="\n")'
}
told <whole.json >whole.told
test -s whole.told
"$HEDDLE" campaign report c --json | told | cmp - whole.told && echo "the same"
