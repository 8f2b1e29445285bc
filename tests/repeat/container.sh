# SPDX-License-Identifier: Apache-2.0
# In a container ASLR cannot be switched off, and process ids are others: runs are recorded and replayed there all
# the same, and a run from outside is replayed inside.
cc -O1 -w "$HERE/container.c" -o container
inside() {
    if unshare --user --map-root-user --pid --fork --mount-proc --net --ipc true 2>/dev/null; then
        unshare --user --map-root-user --pid --fork --mount-proc --net --ipc ./container "$@"
    else
        ./container "$@"
    fi
}
for name in bank bounded-queue cond-broadcast signal-wait spawn-system cpp-thread-pool cpp-containers; do
    source=$(ls "$TOP/tests/programs/$name".*)
    case $source in
        *.cpp) "$HEDDLE" c++ -std=c++20 -w -O1 -g -pthread "$source" -o prog ;;
        *) "$HEDDLE" cc -D_GNU_SOURCE -w -O1 -g -pthread "$source" -o prog ;;
    esac
    for policy in fifo random pct:3; do
        inside "$HEDDLE" run --policy $policy -- ./prog >out 2>err || { echo "$name $policy: $?"; cat err; }
        inside "$HEDDLE" replay --times 5 prog.heddle/runs/last >again 2>err || { echo "$name $policy again: $?"; cat err; }
    done
    "$HEDDLE" run --policy random --seed 3 -- ./prog >out 2>err
    inside "$HEDDLE" replay prog.heddle/runs/last >again 2>err || { echo "$name, from outside: $?"; cat err; }
    cmp out again
    rm -r prog.heddle
done
