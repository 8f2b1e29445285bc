# SPDX-License-Identifier: Apache-2.0
# The same at length.
"$BUILD/oracle/search" 60000 1000000 20
