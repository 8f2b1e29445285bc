# SPDX-License-Identifier: Apache-2.0
# The same as pfix-mutate.long.sh for one program: an unlock too many fails in no run, and is not proven all the same.
"$TOP/tests/pfix/campaign" mutate --runs 300 account | tail -2
