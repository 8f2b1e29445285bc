# SPDX-License-Identifier: Apache-2.0
# Recorded runs with one primitive each; see recorded.py.
python3 "$HERE/recorded.py" sem-unnamed rwlock-timed rwlock-writer-first barrier-serial once mutex-robust \
    mutex-trylock-poll cond-timed-signal signal-handler cancel-cond-wait cpp-atomic-wait
