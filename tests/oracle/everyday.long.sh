# SPDX-License-Identifier: Apache-2.0
# The same at length.
"$BUILD/oracle/everyday" 60000 1000000 16
"$BUILD/oracle/everyday" 6000 2000000 28
