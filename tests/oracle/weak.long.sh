# The same for more programs; and 100,000 runs of the policy random, none of which shows what is
# forbidden.
COUNT=150 SEED=2 . "$HERE/weak.sh"
rm -r seen
mkdir seen
for n in $(seq 0 49); do
    threads=$(python3 "$HERE/weak-litmus.py" threads 2 $n)
    "$HEDDLE" run --weak --policy random --runs 2000 --in-place --outputs -- ./all $n $threads > got
    sed -n 's/.*"output": "\(.*\)\\u000a".*/\1/p' got > seen/$n.out
    rm -r all.heddle
done
python3 "$HERE/weak-litmus.py" judge 2 50 seen 0.9 2> numbers || cat numbers
