# SPDX-License-Identifier: Apache-2.0
# verify on all insufficient fixes and the right ones.
"$HERE/eval" 2 | tail -1
