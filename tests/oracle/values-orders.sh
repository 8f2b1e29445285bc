# SPDX-License-Identifier: Apache-2.0
# Random programs: an access comes between two others, or two race, in some schedule if and only if
# the symbolic stage says so.
"$BUILD/oracle/values" generate 40 1 3 >all.c
"$HEDDLE" cc -w -pthread all.c -o all
"$BUILD/oracle/values" orders ./all 40
