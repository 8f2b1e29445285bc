# SPDX-License-Identifier: Apache-2.0
# What the scripts here share: programs to check, and what a campaign said in all.
# build_programs NAME...: those of tests/programs, and one with a race that fails an assertion.
build_programs() {
    local name file flags
    for name; do
        file=$(ls "$TOP/tests/programs/$name".c*)
        flags=$(sed -n 's,^//~ flags: ,,p; s,^//~ std: ,-std=,p' "$file" | tr '\n' ' ')
        case $file in
        *.cpp) "$HEDDLE" c++ -g $flags -o "$name" "$file" -pthread ;;
        *) "$HEDDLE" cc -g $flags -o "$name" "$file" -pthread ;;
        esac
    done
}
# reports DIR: everything that is told of it, but for hosts and times.
reports() {
    for format in --json --sarif --junit --all; do
        "$HEDDLE" campaign report "$1" $format || test $? = 1
    done
    "$HEDDLE" campaign report "$1" --html "$1.page" >/dev/null || test $? = 1
    cat "$1.page"
    (cd "$1/witnesses" && for w in *; do echo "$w" && cat "$w"; done)
}
