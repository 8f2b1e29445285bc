# SPDX-License-Identifier: Apache-2.0
# What cannot be run as asked is refused before anything runs: nothing is printed by the program
# and no run is kept.
printf '#include <stdio.h>\nint main(void) { return puts("ran") < 0; }\n' >one.c
"$HEDDLE" cc one.c -o one
echo 'not one' >garbage
"$HEDDLE" run -- ./one
for options in "--schedule missing" "--schedule garbage" "--schedule one.heddle/runs/1/outcome" \
    "--expect missing" "--until fail" "--policy random:3" "--policy pct:0"; do
    # shellcheck disable=SC2086
    "$HEDDLE" run $options -- ./one 2>&1 || echo "$options: exit $?"
done
"$HEDDLE" run --schedule one.heddle/runs/1/schedule -- ./one
"$HEDDLE" run -- / 2>&1 || echo "a directory: exit $?"
ls -A
ls one.heddle/runs
