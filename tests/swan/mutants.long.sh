# SPDX-License-Identifier: Apache-2.0
# Every mutant has been explored as it is now; some of them are again.
"$HERE/mutate" list >all || grep -E 'changed since|not explored' all
"$HERE/mutate" check derby-1573 lost-wakeup atomicity. | grep ', but' || echo "as before"
