# SPDX-License-Identifier: Apache-2.0
# Ground truth: everything.
tar --zstd -xf "$TOP/tests/data/benchmarks.tar.zst"
python3 "$HERE/corpus.py" . 1
