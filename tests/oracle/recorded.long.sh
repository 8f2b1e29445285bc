# SPDX-License-Identifier: Apache-2.0
# Recorded runs of all programs of tests/programs that end soon; see recorded.py.
python3 "$HERE/recorded.py"
