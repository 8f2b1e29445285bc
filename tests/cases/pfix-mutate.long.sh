# SPDX-License-Identifier: Apache-2.0
# limit: 21600
# Proven patches of the 49 programs with a line or a hunk taken out: none of those that a schedule breaks is proven.
"$TOP/tests/pfix/campaign" mutate | tail -1
