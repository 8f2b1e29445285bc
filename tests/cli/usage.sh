# SPDX-License-Identifier: Apache-2.0
# A command line that makes no sense: one message that helps, exit code 2, nothing on stdout.
cp "$TOP/examples/bank.trace" t
try() {
    echo "\$ heddle $*" >&2
    code=0
    "$HEDDLE" "$@" || code=$?
    echo "exit $code" >&2
}
try trcae
try frobnicate
try --frobnicate
try help trcae
try help trace extra
try --version extra
try --help extra
try trace dmup t
try trace frobnicate t
try trace dump
try trace dump t t
try trace dump --treads T1 t
try trace dump --xyzzy t
try trace dump -x t
try trace dump t --from
try trace dump t --from ten
try trace dump t --from -1
try trace dump t --to 99999999999999999999
try trace dump t --from 5 --to 5
try trace dump t --from 1 --from 2
try trace dump t --threads T1 --threads T2
try trace dump t --threads T3
try trace dump t --threads T1,,T2
try trace dump t --threads nobody
try trace dump t --json
try trace stat t --format text
try trace stat t --json=yes
try trace convert t
try trace export t
try trace convert t --format chrome
try trace export t --format text
try trace export t --format chrome --zstd
try trace dump "$TOP/tests/fuzz/corpus/runfile/schedule" --to 5 2>&1 | sed "s|$TOP/||" >&2
try run --runs 0 -- ./x
try replay --times 0 x.heddle/runs/last
try check --jobs 0 -- ./x
