# SPDX-License-Identifier: Apache-2.0
# Every example of the help, the man pages and the README runs as it stands.
mkdir -p prog.heddle/runs/last
cp -r "$TOP/examples" .
"$HEDDLE" trace convert examples/bank.trace --format binary -o trace
cp trace prog.heddle/runs/last/trace
printf 'T0|w(x)|1\nT0|fork(T1)|2\nT1|r(x)|3\n' | gzip >avrora.std.gz
{
    "$HEDDLE" --help
    "$HEDDLE" trace --help
    "$HEDDLE" check --help
    sed 's/\\//g' "$TOP"/docs/man/*.1
    cat "$TOP/README.md"
} | sed -n 's,^ *\(build/\)\?\(heddle [a-z].*\)$,\2,p' | sed 's/ *#.*//' | grep -v '[A-Z][A-Z]' |
    awk '!seen[$0]++' >lines
while read -r line; do
    echo "\$ $line"
    case $line in # a bug that is found is no failure of the example
    "heddle check"* | "heddle report"* | "heddle campaign report"*) (eval "$line") >out || test $? = 1 ;;
    *) (eval "$line") >out ;;
    esac
done <lines
test -s avrora.trace -a -s bank.std
python3 -m json.tool trace.json >/dev/null
python3 -m json.tool bank.json >/dev/null
# The report that the README shows is the one that is printed.
(cd examples && "$HEDDLE" check bank.c -- 3 || test $? = 1) >report
sed -n '/^    race-/,/^        mend/s/^    //p' "$TOP/README.md" >shown
test -s shown
grep -n -v -x -F -f report shown || :
