# SPDX-License-Identifier: Apache-2.0
# The timeline of the shipped example, and that every timeline is one Perfetto can draw.
"$HEDDLE" trace export "$TOP/examples/bank.trace" --format chrome
try() {
    "$HEDDLE" trace export --format chrome "$@" -o json
    python3 -m json.tool json >/dev/null
    python3 "$HERE/check-chrome.py" json
}
try "$TOP/examples/bank.trace"
try "$TOP/examples/bank.trace" --from 15 --to 40
try "$TOP/examples/bank.trace" --threads T1,auditor --location savings
try "$HERE/all-kinds.trace"
try "$HERE/all-kinds.trace" --location counter --location wide
try "$HERE/timeline.trace"
