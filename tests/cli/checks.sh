# SPDX-License-Identifier: Apache-2.0
# The repository's own checks can fail: each is given a tree with one thing wrong in it, and names that.
cp -r "$TOP/src" "$TOP/include" "$TOP/docs" "$TOP/tools" "$TOP"/*.md .
for folder in tests examples; do ln -s "$TOP/$folder" $folder; done
expect() { # CHECK WHAT: it says so, and fails
    if "tools/$1" 2>said; then
        echo "$1 did not notice: $2"
    fi
    grep -q -F -e "$2" said || { echo "$1 did not say: $2"; cat said; }
}
planted() { # CHECK FILE LINE WHAT
    cp "$2" kept
    printf '%s\n' "$3" >>"$2"
    expect "$1" "$4"
    cp kept "$2"
}
for check in check-words check-docs; do "tools/$check"; done
prove=src/fix/prove.c
planted check-words $prove 'bool f(void) { return strstr(v->reason, x); }' "prove.c"
planted check-words $prove 'bool f(void) { return strcmp(x, "deadlock") == 0; }' '"deadlock" is a word of a list'
planted check-words $prove 'bool f(void) { return text_is(x, TEXT("waits for it")); }' 'is written for people'
planted check-words src/witness/witness.c 'bool f(void) { return strcmp(f->message, x); }' 'is a sentence for people'
planted check-docs docs/fix.md 'See `docs/nowhere.md`.' 'there is no docs/nowhere.md'
planted check-docs docs/fix.md '[there](gone.md)' 'there is no gone.md'
planted check-docs docs/fix.md '| a | row |' 'a row of no table'
planted check-docs ARCHITECTURE.md 'As `struct no_such_thing`.' 'there is no struct no_such_thing'
planted check-docs src/LAYERS 'cellar: base' 'module cellar is not here'
planted check-docs src/finding/pattern.def 'PATTERN(NEW, "new-one", "new",' '`new-one` is not listed'
planted check-docs src/fix/recipe-move.c '{.name = "other"}' '`other` is not listed'
cp docs/decisions/001-one-stream.md docs/decisions/001-again.md
expect check-docs 'has this number too'
