# SPDX-License-Identifier: Apache-2.0
# Ground truth: all modes, every tenth trace of the corpus and all of the rest.
tar --zstd -xf "$TOP/tests/data/benchmarks.tar.zst"
python3 "$HERE/corpus.py" . 10
