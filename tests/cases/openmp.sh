# SPDX-License-Identifier: Apache-2.0
# OpenMP programs with a bug and right: some of those that openmp/right.txt lists.
[ -n "$(ls /usr/lib/llvm-*/lib/libomp.so 2>/dev/null)" ] || { echo "no libomp here"; exit 77; }
"$HERE/world-check" --in openmp --listed nowait taskwait depend ordered dynamic critical-names
