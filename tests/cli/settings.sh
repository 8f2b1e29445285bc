# SPDX-License-Identifier: Apache-2.0
# Options from the variable and the file: who goes first, and mistakes.
code() { "$@" || echo "exit $?"; }
cp "$TOP/examples/counter.c" .
export HEDDLE_OPTIONS=no-explore
"$HEDDLE" check counter.c -- >/dev/null || true
first() { "$@" | head -c 25 | tr -d '\n'; echo; }
echo "== the file, the variable, the command line"
printf '# what everybody wants\njson\n' >.heddle
HEDDLE_OPTIONS= first "$HEDDLE" report
HEDDLE_OPTIONS=junit first "$HEDDLE" report
HEDDLE_OPTIONS=junit first "$HEDDLE" report --sarif
HEDDLE_OPTIONS=junit=no first "$HEDDLE" report
echo "== spellings"
for line in '--html page.html' 'html page.html' ' html = page.html '; do
    rm -f page.html
    echo "$line" >.heddle
    "$HEDDLE" report >/dev/null || true
    test -s page.html && echo "page: $line"
done
rm .heddle
HEDDLE_OPTIONS="html='a:b.html':json" "$HEDDLE" report >/dev/null || ls *b.html
echo "== what another command has is no mistake"
HEDDLE_OPTIONS=explore=3:keep=2 "$HEDDLE" list | cut -c 1-5
HEDDLE_OPTIONS=json "$HEDDLE" trace stat counter.heddle/runs/last/trace | head -c 2 | tr -d '\n'
echo
HEDDLE_OPTIONS=nonsense "$HEDDLE" report --help | head -1
echo "== mistakes"
HEDDLE_OPTIONS=explor=3 code "$HEDDLE" list
HEDDLE_OPTIONS=nonsense code "$HEDDLE" trace stat counter.heddle/runs/last/trace
HEDDLE_OPTIONS=timeout=soon code "$HEDDLE" check -- ./x
HEDDLE_OPTIONS=jobs=0 code "$HEDDLE" check -- ./x
HEDDLE_OPTIONS=strict=perhaps code "$HEDDLE" check -- ./x
printf 'json\n\nbaselin=x\n' >.heddle
HEDDLE_OPTIONS= code "$HEDDLE" report
echo html >.heddle
HEDDLE_OPTIONS= code "$HEDDLE" report
