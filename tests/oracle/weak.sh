# Random small programs with atomics: --weak shows nothing that the axioms of RC11 forbid, and
# with the policy exhaustive nearly all that they allow.
count=${COUNT:-16} seed=${SEED:-1}
python3 "$HERE/weak-litmus.py" make $seed $count > all.c
"$HEDDLE" cc -w all.c -o all
mkdir seen
for n in $(seq 0 $((count - 1))); do
    threads=$(python3 "$HERE/weak-litmus.py" threads $seed $n)
    "$HEDDLE" run --weak --policy exhaustive --outputs -- ./all $n $threads > got
    grep -q '^complete' got || echo "program $n: not complete"
    sed -n 's/.*"output": "\(.*\)\\u000a".*/\1/p' got > seen/$n.out
    rm -r all.heddle
done
python3 "$HERE/weak-litmus.py" judge $seed $count seen 0.9 2> numbers || cat numbers
