# SPDX-License-Identifier: Apache-2.0
# What the same lines do wrong is one entry, the plainest of the worst at its head.
cp "$HERE/story.c" .
"$HEDDLE" check story.c >report || echo "exit $?"
grep -E "^[a-z]+-[0-9a-f]{8}|race on|reading only|^ +also|findings? in" report
