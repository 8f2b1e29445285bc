# SPDX-License-Identifier: Apache-2.0
# All programs, many more replays, and many more schedules.
python3 "$HERE/programs.py" 1000 0/1
