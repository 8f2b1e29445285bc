# SPDX-License-Identifier: Apache-2.0
# limit: 7200
# A quarter of the programs, with many more replays, and many more schedules; see programs.py.
python3 "$HERE/programs.py" 1000 1/4
