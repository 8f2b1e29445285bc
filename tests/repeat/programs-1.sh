# SPDX-License-Identifier: Apache-2.0
# An eighth of the programs, recorded and replayed; see programs.py.
python3 "$HERE/programs.py" 8 1/8
