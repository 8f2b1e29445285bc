# SPDX-License-Identifier: Apache-2.0
# Two passes record exactly what is shared; see sharing.py.
python3 "$HERE/sharing.py" pipeline thread-pool tls-variables callbacks fail-abba
