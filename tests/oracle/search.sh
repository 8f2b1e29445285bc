# SPDX-License-Identifier: Apache-2.0
# Random tiny traces: the everyday search finds all that brute force says is possible.
"$BUILD/oracle/search" 6000 1 16
"$BUILD/oracle/search" 1000 1 30
