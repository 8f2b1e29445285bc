# SPDX-License-Identifier: Apache-2.0
# A search in parts finds what the whole search finds, byte for byte: on a trace of 1e6 events, in numbers of parts that are
# different each time; and as a campaign, done in one go and with units killed. SEED repeats what failed.
seed=${SEED:-$RANDOM$RANDOM}
RANDOM=$seed
trap 'test $? = 0 || echo "SEED=$seed repeats this"' EXIT
make() { "$BUILD/bench/bench-predict" --make "$@"; }
predict() { "$HEDDLE" predict --jobs 1 "$@" 2>/dev/null; }
# in_parts TRACE N: what they find is what stands in whole and whole.json
in_parts() {
    local k files=
    for ((k = $2; k > 0; k--)); do
        predict "$1" --part "$k/$2" >"part$k"
        files="$files part$k"
    done
    "$HEDDLE" predict --join $files | cmp - whole || { echo "$1 in $2 parts, as text"; exit 1; }
    "$HEDDLE" predict --join $files --json | cmp - whole.json || { echo "$1 in $2 parts"; exit 1; }
    rm $files
}
make long.trace S 1e6
make wide.trace B 2e5
for trace in long.trace wide.trace "$TOP"/examples/*.trace; do
    predict "$trace" >whole
    predict "$trace" --json >whole.json
    in_parts "$trace" $((2 + RANDOM % 4))
    in_parts "$trace" $((6 + RANDOM % 10))
done
in_parts "$trace" 64
echo "-- parts that do not belong together"
predict long.trace --part 1/2 >one
predict long.trace --part 2/2 >two
predict wide.trace --part 2/2 >other
predict long.trace --part 2/3 >of3
refused() { "$HEDDLE" predict "$@" 2>&1 >/dev/null | grep -v '^usage\|^  *heddle' || true; }
refused --join one
refused --join one one
refused --join one other
refused --join one of3
refused --join
refused --join one two --part 1/2
head -c 300 two >cut
refused --join one cut
sed 's/^mode classic/mode nothing/' two >odd
refused --join one odd
sed '/^yes/d' two >less
refused --join one less
sed 's/^list .*/list 7/' two >odd
refused --join one odd
for word in 0/2 3/2 2 1/65 x/y; do refused long.trace --part $word; done
refused long.trace --part 1/2 --json
echo "-- as a campaign"
predict long.trace --json >whole.json
ids() { python3 -c 'import json, sys; print(*sorted((f["pattern"], f["id"], [s["line"] for s in f["sites"]], f["message"]) for f in json.load(sys.stdin)["findings"]), sep="\n")'; }
"$HEDDLE" campaign new c --trace long.trace --chunks 3
"$HEDDLE" campaign units c
"$HEDDLE" campaign run c --jobs 1 | tail -1
. "$HERE/programs.bash"
reports c >c.all
"$HEDDLE" campaign report c --json | ids | cmp - <(ids <whole.json) && echo the same
ls c/witnesses/*.witness | wc -l
"$HEDDLE" campaign new k --trace long.trace --chunks 3 >/dev/null
for ((try = 0; try < 6; try++)); do
    setsid "$HEDDLE" campaign run k --jobs 2 >said 2>&1 &
    pid=$!
    sleep "0.$((1 + RANDOM % 9))"
    kill -9 -- -$pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
done
"$HEDDLE" campaign run k --jobs 2 | tail -1
reports k | cmp - c.all && echo the same
echo "-- a part that is lost"
"$HEDDLE" campaign new l --trace long.trace --chunks 2 >/dev/null
"$HEDDLE" campaign unit l 0
mv long.trace gone
"$HEDDLE" campaign run l 2>&1 | sed 's/host [^:]*:/host H:/; s/(.*)/(...)/; s,'"$PWD"',HERE,g' | sort -u
mv gone long.trace
"$HEDDLE" campaign resume l | tail -1
echo "-- what makes no sense"
"$HEDDLE" campaign new x --trace missing 2>&1 || true
"$HEDDLE" campaign new x --trace long.trace --chunks 65 2>&1 || true
