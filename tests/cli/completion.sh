# SPDX-License-Identifier: Apache-2.0
# What bash would offer.
PATH=$(dirname "$HEDDLE"):$PATH
source "$TOP/completion/heddle.bash"
offer()
{
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _heddle || true
    echo "$*: ${COMPREPLY[*]:-}"
}
offer heddle r
offer heddle check --ex
offer heddle explain lost
offer heddle demo tr
offer heddle help tra
offer heddle run -- --po
