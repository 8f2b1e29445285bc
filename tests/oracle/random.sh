# SPDX-License-Identifier: Apache-2.0
# Random tiny traces: predictor, reference algorithm and brute force agree on every query.
"$BUILD/oracle/oracle" 2000 1 10 2>/dev/null
"$BUILD/oracle/oracle" 200 1 20 2>/dev/null
"$BUILD/oracle/oracle" 1200 1004000 14 0 12 2>/dev/null
