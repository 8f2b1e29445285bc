# SPDX-License-Identifier: Apache-2.0
# Who talked to a recorded run is played in others of any command (--peers): one seed is one run, and so is one schedule.
# A record that is cut anywhere is a shorter one, or is refused by name; nothing hangs.
cc -O1 "$TOP/tests/cases/world/with/talk.c" -o talk
for k in bug ok; do
    "$HEDDLE" cc -g -O1 -pthread "$TOP/tests/cases/world/live-threads.$k.c" -o $k
done
client="./talk tcp 7071 '0>add 1' '1>add 1' '2>add 1' '0<ok' '1<ok' '2<ok' '0>total' '0<3'"
"$HEDDLE" run --client "$client" -- ./ok 2>/dev/null
cp -r ok.heddle/runs/1 kept
# the same run by its seed, and by its schedule
for seed in 1 2 3; do
    "$HEDDLE" run --policy random --seed $seed --peers kept -- ./ok 2>/dev/null
    "$HEDDLE" trace dump ok.heddle/runs/last/trace >first
    schedule=$(readlink -f ok.heddle/runs/last)/schedule
    "$HEDDLE" run --policy random --seed $seed --peers kept -- ./ok 2>/dev/null
    "$HEDDLE" trace dump ok.heddle/runs/last/trace | cmp - first && echo "seed $seed: the same"
    "$HEDDLE" run --schedule "$schedule" --peers kept -- ./ok 2>/dev/null
    "$HEDDLE" trace dump ok.heddle/runs/last/trace | cmp - first && echo "schedule $seed: the same"
done
judge() { "$HEDDLE" check --json --peers kept -- ./$1 2>/dev/null | python3 -c 'import json, sys
print(sorted({f["pattern"] + " " + f["verdict"] for f in json.load(sys.stdin)["findings"] if f.get("shown", True)}))'; }
judge ok
"$HEDDLE" verify --no-explore --peers kept --before ./bug --after ./ok 2>/dev/null | sed 1q
code=0
timeout 60 "$HEDDLE" causes --runs 40 --peers kept -- ./ok >out 2>&1 || code=$?
echo "causes: $code $(head -1 out)"
# what does not go
try() {
    code=0
    timeout 30 "$@" >out 2>err </dev/null || code=$?
    echo "exit $code: $(head -1 err)"
}
try "$HEDDLE" run --peers nowhere -- ./ok
try "$HEDDLE" check --peers kept --client true -- ./ok
size=$(wc -c <kept/peers)
mkdir cut
for at in 0 7 8 9 20 32 33 40 56 57 80 $((size / 3)) $((size / 2)) $((size - 9)) $((size - 1)); do
    head -c "$at" kept/peers >cut/peers
    code=0
    timeout 30 "$HEDDLE" run --peers cut -- ./ok >out 2>err </dev/null || code=$?
    case $code in
    0 | 1 | 143) ;;
    4) grep -q "no record of who talked to a run" err || echo "cut at $at: $(cat err)" ;;
    *) echo "cut at $at: exit $code: $(cat err)" ;;
    esac
    [ "$(grep -c "^heddle: " err)" -le 2 ] || echo "cut at $at: $(cat err)"
done
# Datagrams from outside are played, too: one seed is one run, and a right server is told nothing wrong.
"$HEDDLE" cc -g -O1 -pthread "$TOP/tests/cases/world/udp-outside.ok.c" -o echo
for i in $(seq 100); do
    ./talk udp 7083 '5>hi' '5<hi' '0>a' '1>b' '0>stop' '1>stop' '5>go' '0<a' '1<b' 2>/dev/null && break
    sleep 0.1
done &
code=0
timeout 60 "$HEDDLE" check --explore 6 -- ./echo >out 2>/dev/null || code=$?
wait
echo "datagrams: exit $code"
grep "no bug\|finding\|datagrams" out
for seed in 1 2 3; do
    "$HEDDLE" run --policy random --seed $seed --peers echo.heddle/runs/1 -- ./echo >/dev/null 2>&1
    "$HEDDLE" trace dump echo.heddle/runs/last/trace >first
    schedule=$(readlink -f echo.heddle/runs/last)/schedule
    "$HEDDLE" run --schedule "$schedule" --peers echo.heddle/runs/1 -- ./echo >/dev/null 2>&1
    "$HEDDLE" trace dump echo.heddle/runs/last/trace | cmp - first && echo "datagrams, seed $seed: the same"
done
size=$(wc -c <echo.heddle/runs/1/peers)
for at in 30 50 $((size / 3)) $((size / 2)) $((size - 9)) $((size - 1)); do
    head -c "$at" echo.heddle/runs/1/peers >cut/peers
    code=0
    timeout 30 "$HEDDLE" run --peers cut -- ./echo >out 2>err </dev/null || code=$?
    [ $code -le 1 ] || echo "datagrams cut at $at: exit $code: $(cat err)"
    [ "$(grep -c "^heddle: " err)" -le 2 ] || echo "datagrams cut at $at: $(cat err)"
done
