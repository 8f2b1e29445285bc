# SPDX-License-Identifier: Apache-2.0
# Random programs: what can fail by the symbolic stage is what fails in some schedule.
"$BUILD/oracle/values" generate 100 0 3 >all.c
"$HEDDLE" cc -w -pthread all.c -o all
"$BUILD/oracle/values" check ./all 100
