# SPDX-License-Identifier: Apache-2.0
# limit: 3600
# All programs of weak/, also those that are too many for every day: locks, queues, reclamation, publication as people write
# them, right and with one order weakened.
"$HERE/world-check" --in weak
