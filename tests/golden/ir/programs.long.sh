# SPDX-License-Identifier: Apache-2.0
# Paths of all programs: every term has the value of the run. `programs.py -v` says where paths end.
python3 "$HERE/programs.py"
