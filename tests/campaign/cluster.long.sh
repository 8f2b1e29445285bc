# SPDX-License-Identifier: Apache-2.0
# limit: 7200
# One campaign over thirty programs: by the processors here; by Slurm; by Slurm while a host dies; while a hundred units are
# killed; after a stop in the middle. All reports are the same, byte for byte. PROGRAMS: another list.
. "$HERE/programs.bash"
programs=${PROGRAMS:-"arguments atexit atomic-builtins atomic-operations bank barrier-stencil bounded-queue c11-conditions
c11-mutexes c11-threads callbacks cancel-points cond-broadcast cond-pingpong constructor cpp-async cpp-condition cpp-containers
cpp-mutexes cpp-thread-pool double-checked fail-abba fail-assert fail-barrier fail-exit-code fail-lost-wakeup fail-null
fail-philosophers fail-self-lock fail-rwlock-upgrade"}
kills_wanted=${KILLS:-100}
cluster=$PWD/cluster
SLURM_CONF=$cluster/slurm.conf
export SLURM_CONF
"$HERE/cluster" start "$cluster" || exit $?
trap '"$HERE/cluster" stop "$cluster"' EXIT
build_programs $programs
printf './%s\n' $programs >list
plan() { "$HEDDLE" campaign new "$1" --policies fifo,random --runs 10 --tests-from list >/dev/null; }
is_over() { "$HEDDLE" campaign status "$1" | grep -q 'is over'; }
submit() { "$HEDDLE" campaign run "$1" --on slurm --slurm all --throttle 3 >"$1.submitted"; }
# await DIR [COMMAND]: until it is over; the command is called every half second.
await() {
    for ((wait = 0; wait < 3600; wait++)); do
        ! is_over "$1" || return 0
        ${2:-true} "$1"
        sleep 0.5
    done
    echo "$1 does not come to its end"
    "$HEDDLE" campaign status "$1"
    squeue
    exit 1
}
same() { reports "$1" | cmp - local.all && echo "$1: the same"; }

plan local
"$HEDDLE" campaign run local | tail -1
reports local >local.all
test "$("$HEDDLE" campaign report local --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["findings"]))')" -gt 2

plan slurm
submit slurm
await slurm
same slurm
"$HEDDLE" campaign report slurm --hosts | sed 's/:.*//'

# Its jobs die with the host; Slurm notices after some seconds and starts them elsewhere.
host_dies() {
    [ ! -e died ] && [ "$(ls "$1"/results/0 | wc -l)" -gt 10 ] || return 0
    touch died
    pid=$(cat "$cluster/slurmd.n2.pid")
    for job in $(pgrep -f 'slurmstepd: \[.*\]' || true); do
        if grep -qz 'SLURMD_NODENAME=n2' "/proc/$(pgrep -P "$job" | head -1)/environ" 2>/dev/null; then
            kill -9 $(pgrep -P "$job") "$job" 2>/dev/null || true
        fi
    done
    kill -9 "$pid"
}
plan dies
submit dies
await dies host_dies
test -e died
same dies
PATH=$PATH:/usr/sbin slurmd -N n2
for ((i = 0; i < 60; i++)); do
    [ "$(sinfo -h -N -o %T | grep -c 'idle\|alloc\|mix')" != 3 ] || break
    sleep 0.5
done

# No unit is killed three times: then it would count as lost.
kills=0
declare -A killed
kill_some() {
    local pid unit
    for pid in $(pgrep -f "campaign unit $(realpath "$1") "); do
        unit=$(cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' '\n' | tail -1)
        if [ -n "$unit" ] && [ "$kills" -lt "$kills_wanted" ] && [ "${killed[$unit]:-0}" -lt 2 ] && [ $((RANDOM % 3)) != 0 ] && kill -9 "$pid" 2>/dev/null; then
            killed[$unit]=$((${killed[$unit]:-0} + 1))
            kills=$((kills + 1))
        fi
    done
}
plan killed
submit killed
await killed kill_some
echo "kills: $([ "$kills" -ge "$kills_wanted" ] && echo all || echo "only $kills")"
same killed

plan stopped
submit stopped
while [ "$(ls stopped/results/0 | wc -l)" -lt 10 ]; do sleep 0.2; done
"$HEDDLE" campaign stop stopped
for ((i = 0; i < 100; i++)); do [ -n "$(squeue -h)" ] || break; sleep 0.3; done
count=$(ls stopped/results/0 | wc -l)
sleep 1
test "$(ls stopped/results/0 | wc -l)" = "$count" && echo "nothing more begins"
"$HEDDLE" campaign resume stopped --on slurm --slurm all >/dev/null
await stopped
same stopped
