# SPDX-License-Identifier: Apache-2.0
# Old runs go; the newest, the last, and everything that is no run stay.
clean() { "$HEDDLE" clean "$@" | sed 's/[0-9][0-9]* bytes/B bytes/'; }
left() { (cd "$1" && find . -mindepth 1 -maxdepth 2 | sort | tr '\n' ' '); echo; }
# make HOME LAST N...: runs with files in them, and what is not ours.
make() {
    local home=$1 last=$2
    shift 2
    for n; do
        mkdir -p "$home/runs/$n/replay-abc"
        head -c 5000 /dev/zero | tee "$home/runs/$n/trace" >"$home/runs/$n/replay-abc/trace"
    done
    ln -sfn "$last" "$home/runs/last"
}
make a.heddle 2 1 2 3 4 9 10 11
mkdir -p a.heddle/runs/{saved,007,0x5,0} a.heddle/confirm/{race-1,race-2,mine-3,other} a.heddle/witnesses outside
touch a.heddle/confirm/{race-1,race-2,other}/command a.heddle/findings.json a.heddle/runs/5 outside/kept
ln -s ../../outside a.heddle/runs/6
ln -s ../../outside a.heddle/runs/1/link
make b.heddle 1 1
mkdir c.heddle
echo "-- dry run"
left a.heddle >before
clean --keep 3 --dry-run
left a.heddle | diff before -
echo "-- for real"
clean --keep 3
left a.heddle
ls outside
echo "-- again, by name; ten stay by default"
clean --keep 3 a.heddle/
make d.heddle 12 $(seq 12)
clean d.heddle
echo "-- none stay but the last"
clean --keep 0 a.heddle d.heddle ./a.heddle
left d.heddle/runs
echo "-- bytes are what the disk says"
make e.heddle none 1
want=$(($(find e.heddle/runs/1 -printf '%b\n' | paste -sd+) << 9))
"$HEDDLE" clean --keep 0 e.heddle | sed "s/$want/all/"
echo "-- real runs: the one that stays is replayed"
printf 'int main(void) { return 0; }\n' >p.c
"$HEDDLE" cc p.c -o p
for _ in 1 2 3; do "$HEDDLE" run -- ./p; done
clean --keep 1 p.heddle
"$HEDDLE" replay p.heddle/runs/last && echo replayed
"$HEDDLE" run -- ./p
readlink p.heddle/runs/last
echo "-- what cannot be done"
for words in c.heddle missing.heddle p.c "--keep x"; do
    code=0
    "$HEDDLE" clean $words || code=$?
    echo "exit $code"
done
mkdir empty && cd empty
clean
echo "-- by size: the newest stay as long as they fit"
make f.heddle 5 1 2 3 4 5
for n in 1 2 3 4; do head -c 1M /dev/zero >"f.heddle/runs/$n/trace"; done
clean --size 3 f.heddle
left f.heddle/runs
clean --size 0 f.heddle
echo "-- a run that a finding names stays"
make f.heddle 9 1 2 3 9
printf '{"version": 1, "findings": [{"id": "failure-1", "pattern": "failure", "replay": "heddle replay f.heddle/runs/2"}]}' >f.heddle/findings.json
clean --keep 1 f.heddle
left f.heddle/runs
