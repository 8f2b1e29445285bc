# SPDX-License-Identifier: Apache-2.0
# Threads that nobody waits for run before the process ends, or do not.
"$HERE/confirm" end/
