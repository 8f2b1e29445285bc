# SPDX-License-Identifier: Apache-2.0
# limit: 3600
# verify on 300 random small programs.
"$HERE/random" 300 1000 | sed 's/.*; //'
