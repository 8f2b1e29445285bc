# SPDX-License-Identifier: Apache-2.0
# Findings that are accepted do not fail; others do.
code() { "$@" || echo "exit $?"; }
cp "$TOP/examples/counter.c" "$TOP/examples/transfer.c" .
code "$HEDDLE" baseline write
"$HEDDLE" check --no-explore counter.c -- >/dev/null || echo "check: exit $?"
code "$HEDDLE" baseline show
code "$HEDDLE" baseline write
code "$HEDDLE" check --no-explore --baseline heddle.baseline -- counter.heddle/counter | head -1
code "$HEDDLE" baseline show
echo "== after an edit"
sed -i 's/^int main/\n\n&/' counter.c
"$HEDDLE" check --no-explore --baseline heddle.baseline counter.c -- | head -1
echo "== another program"
"$HEDDLE" check --no-explore transfer.c -- >/dev/null || echo "check: exit $?"
code "$HEDDLE" baseline show --dir transfer.heddle | cut -c 1-60
code "$HEDDLE" baseline update --dir transfer.heddle other.baseline | cut -c 1-60
code "$HEDDLE" baseline update --dir transfer.heddle | cut -c 1-60
grep -v '^#' heddle.baseline | cut -d ' ' -f 1
echo "== mistakes"
code "$HEDDLE" baseline
code "$HEDDLE" baseline accept
code "$HEDDLE" baseline show a b
code "$HEDDLE" baseline show nowhere
