# SPDX-License-Identifier: Apache-2.0
# All programs, many more replays.
python3 "$HERE/programs.py" 1000 0/1
