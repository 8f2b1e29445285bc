# SPDX-License-Identifier: Apache-2.0
# Calls that break the rules of locks, conditions and threads, and others that look like it.
"$HERE/confirm" misuse/
