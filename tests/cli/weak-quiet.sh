# Right programs with --weak: nothing goes wrong, and nobody speaks of races.
"$HEDDLE" cc -w "$HERE/weak-quiet.c" -o quiet
"$HEDDLE" c++ -w "$HERE/weak-quiet.cpp" -o quiet-cxx
for seed in $(seq 15); do
    "$HEDDLE" run --weak --policy random --seed $seed -- ./quiet
    "$HEDDLE" run --weak --policy pos --seed $seed -- ./quiet-cxx | sort
done 2>&1 | grep -v 'less weak behaviour' | sort | uniq -c | sed 's/^ *//'
