# SPDX-License-Identifier: Apache-2.0
# Paths of some programs: every term has the value of the run.
python3 "$HERE/programs.py" bank bounded-queue c11-conditions atomic-builtins mixed-sizes structs stack-sharing strings fail-divide
