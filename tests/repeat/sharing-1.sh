# SPDX-License-Identifier: Apache-2.0
# Two passes record exactly what is shared; see sharing.py.
python3 "$HERE/sharing.py" bounded-queue thread-tree double-checked strings
