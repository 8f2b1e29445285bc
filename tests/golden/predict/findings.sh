# SPDX-License-Identifier: Apache-2.0
# What a person sees, the funnel, the same for programs, and the witnesses.
"$HEDDLE" predict "$HERE/small.trace" --stats --witness-dir witnesses 2>stats
grep -v ' queries: ' stats >&2
"$HEDDLE" predict "$HERE/small.trace" --json 2>/dev/null | python3 -m json.tool
for witness in witnesses/*; do
    echo "$witness"
    cat "$witness"
done
