# --weak: what is shown, what never is, and that a replay shows the same.
"$HEDDLE" cc -DREL=memory_order_relaxed -DACQ=memory_order_relaxed "$HERE/weak.c" -o relaxed
"$HEDDLE" cc -DREL=memory_order_release -DACQ=memory_order_acquire "$HERE/weak.c" -o ordered
runs() {
    for seed in $(seq 60); do
        "$HEDDLE" run --policy random --seed $seed "$@" > seen.$seed
    done
    cat seen.*
    rm seen.*
}
has() {
    grep -q "$1" "$2" && echo "$2: $1" || echo "$2: never $1"
}
runs --weak -- ./relaxed > weak
runs --weak -- ./ordered > orders
runs --weak=off -- ./relaxed > off
for what in "SB 00" "MP 10" "2+2W 11"; do
    has "$what" weak
    has "$what" off
done
has "MP 10" orders
for i in $(seq 60); do
    "$HEDDLE" replay relaxed.heddle/runs/$i
done > again
sed -n 1,60p weak | sort > one
sort again | cmp - one && echo "replayed"
# The record says what was chosen, and what refuses it says so.
run=$(for i in $(seq 60); do
    "$HEDDLE" trace dump relaxed.heddle/runs/$i/trace | grep -q ' stale ' && echo relaxed.heddle/runs/$i
done | head -1)
"$HEDDLE" trace dump $run/schedule | sed -n 2p
"$HEDDLE" trace stat $run/trace | grep -o 'has stale reads or early stores'
"$HEDDLE" predict $run/trace 2>&1 | sed 's/^.*it has/it has/'
"$HEDDLE" run --weak=arm -- ./relaxed || echo "exit $?"
"$HEDDLE" run --weak --weak-history 1 -- ./relaxed || echo "exit $?"
