# SPDX-License-Identifier: Apache-2.0
# docs/corpus.md is what the results and the judgements make; every finding shown is judged, and none is wrong.
"$TOP/tests/corpus/table.py" --check
