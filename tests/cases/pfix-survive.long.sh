# SPDX-License-Identifier: Apache-2.0
# limit: 21600
# Every proven patch of the 49 programs survives 10,000 explored schedules, and prediction on 20 runs.
"$TOP/tests/pfix/campaign" survive | tail -1
