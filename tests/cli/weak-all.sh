# --weak with the policy exhaustive: each outcome that the memory model allows, and no other.
for kind in 1 2 3 4 5; do
    "$HEDDLE" cc -w -DKIND=$kind "$HERE/weak-all.c" -o all$kind
    echo "== $kind"
    for mode in off c11; do
        "$HEDDLE" run --weak=$mode --policy exhaustive --outputs -- ./all$kind > got
        echo "$mode: $(grep -o '^complete' got): $(sed -n 's/.*"output": "\(.*\)\\u000a".*/\1/p' got | sort | paste -sd ,)"
    done
done
# A race that only a weak run shows is named.
for seed in $(seq 40); do
    "$HEDDLE" run --weak --policy random --seed $seed -- ./all5
done 2>&1 | grep 'a data race' | sed 's/at [^ ]*weak-all/at weak-all/g' | sort -u
