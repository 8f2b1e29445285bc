# SPDX-License-Identifier: Apache-2.0
# verify on random small programs: never `fixed` where a schedule fails, never `broken` where none does.
"$HERE/random" 4 3 | grep -o '[0-9]* wrong'
