# SPDX-License-Identifier: Apache-2.0
# Random tiny traces: what the everyday search finds is possible, and races, uses before the only
# write, uses of what is freed, what comes between two accesses of a section, and deadlocks are
# all found.
"$BUILD/oracle/everyday" 6000 1 14
"$BUILD/oracle/everyday" 600 1 24
