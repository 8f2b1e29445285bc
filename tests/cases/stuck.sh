# SPDX-License-Identifier: Apache-2.0
# Deadlocks that somebody else ends after a while: a watchdog, an alarm, who waits only so long.
"$HERE/confirm" stuck/
