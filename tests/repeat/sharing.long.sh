# SPDX-License-Identifier: Apache-2.0
# Two passes record exactly what is shared, for all programs; see sharing.py.
python3 "$HERE/sharing.py" 0/1
