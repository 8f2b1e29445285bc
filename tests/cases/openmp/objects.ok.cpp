// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A vector has its size before a parallel loop.
//~ libs: -fopenmp
#include <vector>
int main()
{
    std::vector<int> squares;
    squares.resize(10);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 10; i++)
        squares[i] = i * i; //~ here
    return squares.size() > 10;
}
