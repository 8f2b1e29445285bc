# SPDX-License-Identifier: Apache-2.0
# docs/suites.md is what the results and the judgements make; every difference is judged.
"$TOP/tests/corpus/valgrind" --check
