# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The words come from heddle's own help, so they are those of the version
# that is installed.
_heddle()
{
    local word=${COMP_WORDS[COMP_CWORD]} heddle=${COMP_WORDS[0]} command=${COMP_WORDS[1]} i
    for ((i = 2; i < COMP_CWORD; i++)); do # behind -- is the program's business
        [[ ${COMP_WORDS[i]} == -- ]] && return
    done
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "help $("$heddle" --help 2>/dev/null |
            sed -n '/^commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p')" -- "$word"))
    elif [[ $command == help ]]; then
        COMPREPLY=($(compgen -W "$("$heddle" --help 2>/dev/null |
            sed -n '/^commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p')" -- "$word"))
    elif [[ $command == campaign && COMP_CWORD -eq 2 ]]; then
        COMPREPLY=($(compgen -W "new units unit run merge status stop resume report" -- "$word"))
    elif [[ $command == explain ]]; then
        COMPREPLY=($(compgen -W "$("$heddle" explain 2>/dev/null | cut -d ' ' -f 1)" -- "$word"))
    elif [[ $command == demo ]]; then
        COMPREPLY=($(compgen -W "$("$heddle" demo 2>/dev/null | cut -d ' ' -f 1)" -- "$word"))
    elif [[ $command == show ]]; then
        COMPREPLY=($(compgen -W "$("$heddle" list --all 2>/dev/null | cut -d ' ' -f 1)" -- "$word"))
    elif [[ $word == -* && $command != cc && $command != c++ ]]; then
        COMPREPLY=($(compgen -W "$("$heddle" "$command" --help 2>/dev/null |
            sed -n '/^options:/,/^$/s/.*\(--[a-z-]*\).*/\1/p')" -- "$word"))
    fi
}
complete -o default -F _heddle heddle
