# SPDX-License-Identifier: Apache-2.0
# A program that is not there, or is none, or was built by another compiler: each command says which.
mkdir directory
echo 'int main(void) { return 0; }' >source.c
cp source.c executable.c
chmod +x executable.c
${CC:-cc} -o plain source.c
${CC:-cc} -static -o static source.c
for command in check run 'run --runs 2' causes guards fix; do
    for program in ./missing missing ./directory ./source.c ./executable.c ./plain ./static; do
        code=0
        "$HEDDLE" $command -- $program >stdout 2>stderr </dev/null || code=$?
        echo "heddle $command -- $program: exit $code"
        sed 's/^/    /' stderr
        [ ! -s stdout ] || echo "    something on stdout"
    done
done
